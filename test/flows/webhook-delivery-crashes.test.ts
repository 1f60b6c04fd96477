/** These tests break the delivery of webhooks itself: transactions that commit late, lost leases, a database that fails, two processes at once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { MINUTE, SECOND, useWebhookBed } from "../support/webhook-bed.ts";
import { answerOk, deliveriesOf, hasCaughtUp, recordIn, upTo } from "../support/webhook-engine.ts";

const bed = useWebhookBed();

const inOrder = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

it("an event of a transaction that commits late is neither lost nor overtaken by others' place", async () => {
  const { endpoint, hook } = await bed.listen(answerOk);
  let asked = 0;
  bed.start({
    wrapDb: (db): Db => ({
      ...db,
      many(statement) {
        asked++;
        return db.many(statement);
      },
    }),
  });
  const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = bed.app.db.transaction(async (tx) => {
    await recordIn(bed.app, tx, [{ type: "list.updated", data: { count: 1 } }], bed.clock);
    await tx.execute(sql`select`);
    written.resolve();
    await released.promise;
  });
  await written.promise;
  // A later transaction is there first, and the log is read again and again meanwhile.
  await bed.write([2]);
  const before = asked;
  await until(() => asked >= before + 5);
  released.resolve();
  await late;
  await endpoint.reach(2);
  await hasCaughtUp(bed.app, hook["id"]);
  assert.deepEqual(inOrder(endpoint.numbers()), [1, 2]);
});

it("a new endpoint gets what is committed after it was made, and nothing that was before", async () => {
  const open = async (count: number) => {
    const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const over = bed.app.db.transaction(async (tx) => {
      await recordIn(bed.app, tx, [{ type: "list.updated", data: { count } }], bed.clock);
      // What is recorded is sent with the next statement.
      await tx.execute(sql`select`);
      written.resolve();
      await released.promise;
    });
    await written.promise;
    return async () => {
      released.resolve();
      await over;
    };
  };
  // The replay has nothing of earlier tests.
  bed.clock.advance(MINUTE);
  bed.start();
  const [first, second] = [await open(1), await open(2)];
  // Another is over before the endpoint is made, although one of a lower number isn't.
  await bed.write([100]);
  await second();
  const third = await open(3);
  const { endpoint, hook } = await bed.listen(answerOk);
  const other = await bed.listen(answerOk, { ordered: true });
  await third();
  await bed.write([4]);
  const since = new Date(bed.clock.now().getTime() - SECOND).toISOString();
  const replay = await bed.app.api("POST", `/v1/webhooks/${other.hook["id"]}/replay`, { body: { since } });
  assert.equal(replay.status, 202, replay.text);
  await until(() => other.endpoint.numbers().length === 2);
  await first();
  await until(() => endpoint.numbers().includes(4) && other.endpoint.numbers().includes(4));
  // A place that moves over events of other types is written every ten seconds.
  bed.clock.advance(11 * SECOND);
  await hasCaughtUp(bed.app, hook["id"]);
  assert.deepEqual(inOrder(endpoint.numbers()), [1, 3, 4]);
  await hasCaughtUp(bed.app, other.hook["id"]);
  // A replay has what was there before, and what is new comes by the log.
  assert.deepEqual(inOrder([...new Set(other.endpoint.numbers())]), [1, 2, 3, 4, 100]);
  assert.deepEqual(
    other.endpoint.numbers().filter((number) => [1, 3, 4].includes(number)),
    [1, 3, 4],
  );
});

it("two processes share the endpoints, and each event is posted once", async () => {
  const hooks = [await bed.listen(answerOk), await bed.listen(answerOk), await bed.listen(answerOk)];
  bed.start();
  bed.start();
  await bed.write(upTo(200));
  for (const { endpoint } of hooks) await endpoint.reach(200);
  for (const { hook } of hooks) await hasCaughtUp(bed.app, hook["id"]);
  for (const { endpoint } of hooks) assert.deepEqual(inOrder(endpoint.numbers()), upTo(200));
});

it("who has lost the lease writes nothing more, and who has it goes on under the same ids", async () => {
  const held: (() => void)[] = [];
  const { endpoint, hook } = await bed.listen(({ nth }, response) =>
    nth <= 8 ? held.push(() => response.end()) : response.end(),
  );
  bed.start();
  await bed.write(upTo(8));
  await endpoint.reach(8);
  // Somebody else takes it over while eight posts are under way, as if this process had stood still for long.
  await bed.app.db.execute(
    sql`update webhooks set leased_by = null, leased_until = null where id = ${uuidOf("whk", hook["id"])}`,
  );
  bed.start();
  await endpoint.reach(16);
  await hasCaughtUp(bed.app, hook["id"]);
  for (const release of held) release();
  await bed.write([9]);
  await until(() => endpoint.numbers().includes(9));
  await hasCaughtUp(bed.app, hook["id"]);
  const stored = await deliveriesOf(bed.app, hook["id"]);
  assert.equal(stored.length, 9);
  const ids = new Map(endpoint.posts.map(({ id, numbers }) => [numbers[0], id]));
  for (const { id, numbers } of endpoint.posts) assert.equal(id, ids.get(numbers[0]));
});

it("a commit whose answer was lost is written again, and stops nothing", async () => {
  const { endpoint, hook } = await bed.listen(answerOk);
  let lost = 0;
  bed.start({
    wrapDb: (db): Db => ({
      ...db,
      async transaction(work) {
        const result = await db.transaction(work);
        // The clock stands still, so it is moved over the rest that follows an error.
        bed.clock.advance(2 * SECOND);
        if (++lost <= 2) throw new Error("the connection was lost after the commit");
        return result;
      },
    }),
  });
  await bed.write(upTo(20));
  await until(async () => {
    bed.clock.advance(SECOND);
    return (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 20;
  });
  await bed.write([21]);
  await until(() => {
    bed.clock.advance(SECOND);
    return endpoint.numbers().includes(21);
  });
  assert.deepEqual(inOrder(endpoint.numbers()), upTo(21));
});

/** Calls `before` ahead of each statement, with whether it reads what waits for a try, and of which endpoint. */
function watching(before: (isOfRetries: boolean, values: readonly unknown[]) => Promise<void> | void) {
  return (db: Db): Db => ({
    ...db,
    async many(statement) {
      await before(statement.text.includes("from webhook_deliveries"), statement.values);
      return db.many(statement);
    },
  });
}

it("nothing overtakes what is to be tried again while that is read, where order is asked for", async () => {
  let asked = 0;
  let holding: Promise<void> | undefined;
  const [isHeld, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { endpoint, hook } = await bed.listen(
    ({ nth }, response) => {
      if (nth === 1) holding = released.promise;
      response.writeHead(nth === 1 ? 500 : 200).end();
    },
    { ordered: true },
  );
  await bed.write([1, 2, 3]);
  bed.start({
    wrapDb: watching((isOfRetries) => {
      asked++;
      if (isOfRetries && holding) isHeld.resolve();
      return isOfRetries ? holding : undefined;
    }),
  });
  await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
  bed.clock.advance(6 * SECOND);
  await isHeld.promise;
  // What is new wakes it while it still reads.
  await bed.write([4]);
  const before = asked;
  await until(() => asked >= before + 5);
  released.resolve();
  await endpoint.reach(5);
  assert.deepEqual(endpoint.numbers(), [1, 1, 2, 3, 4]);
});

it("an edit of one endpoint has no other read again what waits", async () => {
  const [edited, other] = [await bed.listen(answerOk), await bed.listen(answerOk)];
  const reads = new Map<unknown, number>();
  const readsOf = ({ hook }: typeof edited) => reads.get(uuidOf("whk", hook["id"])) ?? 0;
  bed.start({
    wrapDb: watching((isOfRetries, [, webhookId]) => {
      if (isOfRetries) reads.set(webhookId, (reads.get(webhookId) ?? 0) + 1);
    }),
  });
  await until(() => readsOf(edited) > 0 && readsOf(other) > 0);
  const EDITS = 6;
  for (const description of upTo(EDITS).map(String)) {
    const before = readsOf(edited);
    await bed.app.api("PATCH", `/v1/webhooks/${edited.hook["id"]}`, { body: { description } });
    await until(() => readsOf(edited) > before);
  }
  // Once when it starts, and once when the connection that listens is there.
  assert.ok(readsOf(other) <= 2, String(readsOf(other)));
});

it("a batch keeps its events and its id through a crash between its post and what is written of it", async () => {
  const opens = { type: "email.opened" as const };
  let isSilent = true;
  const { endpoint, hook } = await bed.listen((_post, response) => (isSilent ? undefined : response.end()), {
    events: ["email.opened"],
    batch_engagement: true,
  });
  const first = bed.start();
  await bed.write(upTo(30), opens);
  await until(() => {
    bed.clock.advance(SECOND);
    return endpoint.posts.length === 1;
  });
  await first.stop(0);
  isSilent = false;
  await bed.write([31, 32], opens);
  bed.start();
  await until(() => {
    bed.clock.advance(SECOND);
    return new Set(endpoint.numbers()).size === 32;
  });
  await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 2);
  const [one, again, others] = endpoint.posts;
  assert.deepEqual(one?.numbers, upTo(30));
  assert.equal(one?.body["type"], "email.batch");
  assert.deepEqual([again?.id, again?.numbers], [one?.id, one?.numbers]);
  assert.deepEqual(others?.numbers, [31, 32]);
});

it("batches have at most 100 events and less than 20 KB, and other events don't wait for them", async () => {
  const { endpoint } = await bed.listen(answerOk, {
    events: ["email.opened", "list.updated"],
    batch_engagement: true,
  });
  await bed.write(upTo(450), { type: "email.opened" });
  await bed.write([1_000]);
  bed.start();
  await until(() => {
    bed.clock.advance(SECOND);
    return new Set(endpoint.numbers()).size === 451;
  });
  const batches = endpoint.posts.filter(({ body }) => body["type"] === "email.batch");
  assert.equal(endpoint.posts.length, batches.length + 1);
  assert.ok(batches.length < 10, String(batches.length));
  for (const { body, numbers } of batches) {
    assert.ok(numbers.length <= 100);
    assert.ok(JSON.stringify(body).length < 20_000);
  }
  assert.deepEqual(inOrder(endpoint.numbers()), [...upTo(450), 1_000]);
});
