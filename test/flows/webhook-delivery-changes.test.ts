/** These tests have endpoints disabled, edited and deleted while events are delivered to them, and replay what was. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { notify } from "../../src/platform/db/listen.ts";
import { WEBHOOKS_CHANGED } from "../../src/webhooks/delivering/delivering.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { HOUR, MINUTE, SECOND, useWebhookBed } from "../support/webhook-bed.ts";
import {
  answerOk,
  answerWith,
  deliveriesOf,
  type Endpoint,
  hasCaughtUp,
  recordIn,
  startEndpoint,
  upTo,
} from "../support/webhook-engine.ts";

const bed = useWebhookBed();

const timesOf = (endpoint: Endpoint, number: number) =>
  endpoint.posts.filter(({ numbers }) => numbers.includes(number));

describe("an endpoint is disabled", () => {
  it("by 410, and gets what it missed once it is enabled again", async () => {
    let isGone = true;
    const { endpoint, hook } = await bed.listen((_post, response) =>
      response.writeHead(isGone ? 410 : 200).end(),
    );
    bed.start();
    await bed.write(upTo(20));
    await until(async () => (await bed.readHook(hook)).status === "disabled");
    const off = await bed.readHook(hook);
    assert.deepEqual([off.disabled_reason, off.updated_by.kind], ["gone", "system"]);
    assert.ok(endpoint.posts.length <= 8);
    await bed.write([21]);
    isGone = false;
    assert.equal((await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/enable`)).status, 200);
    bed.clock.advance(6 * SECOND);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 21);
    assert.deepEqual(
      [...new Set(endpoint.numbers())].sort((a, b) => a - b),
      upTo(21),
    );
  });

  it("by five days of nothing but failure, with a notice to its owner", async () => {
    const { endpoint, hook } = await bed.listen(answerWith(500));
    bed.start();
    await bed.write([1]);
    await until(async () => (await bed.readHook(hook)).failing_since !== null);
    bed.clock.advance(5 * 24 * HOUR - MINUTE);
    await until(async () => (await deliveriesOf(bed.app, hook["id"]))[0]?.["attempts"].length === 2);
    assert.equal((await bed.readHook(hook)).status, "enabled");
    bed.clock.advance(MINUTE);
    await bed.write([2]);
    await until(async () => (await bed.readHook(hook)).status === "disabled");
    assert.equal((await bed.readHook(hook)).disabled_reason, "failing");
    assert.equal(timesOf(endpoint, 2).length, 1);
  });

  it("and once it is enabled, what was given up since it began to fail is tried again", async () => {
    let status = 200;
    const { endpoint, hook } = await bed.listen((_post, response) => response.writeHead(status).end());
    bed.start();
    const failAll = () =>
      bed.app.db.execute(sql`
        update webhook_deliveries set state = 'failed', next_attempt_at = null
        where webhook_id = ${uuidOf("whk", hook["id"])} and state = 'waiting'`);
    const reachWaiting = () =>
      until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    for (const number of [1, 3]) {
      status = 500;
      await bed.write([number]);
      await reachWaiting();
      await failAll();
      bed.clock.advance(MINUTE);
      if (number === 3) continue;
      // The first was given up before something else was delivered, so it isn't tried again.
      status = 200;
      await bed.write([2]);
      await until(async () => (await bed.readHook(hook)).failing_since === null);
    }
    const path = `/v1/webhooks/${hook["id"]}`;
    await bed.app.api("PATCH", path, { body: { status: "disabled" } });
    await bed.app.api("PATCH", path, { body: { url: `${endpoint.url}/mended` } });
    status = 200;
    assert.equal((await bed.app.api("POST", `${path}/enable`)).status, 200);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 2);
    assert.deepEqual(endpoint.numbers(), [1, 2, 3, 3]);
    assert.equal((await deliveriesOf(bed.app, hook["id"], "failed")).length, 1);
  });

  it("by nothing that is wrong on our side, which uses up no tries either", async () => {
    const { endpoint, hook } = await bed.listen(answerOk);
    const id = uuidOf("whk", hook["id"]);
    const { secret } = await bed.app.db.one<{ secret: Buffer }>(
      sql`select secret from webhooks where id = ${id}`,
    );
    const seal = (to: Buffer) =>
      bed.app.db.transaction(async (tx) => {
        await tx.execute(sql`update webhooks set secret = ${to}, version = version + 1 where id = ${id}`);
        await notify(tx, WEBHOOKS_CHANGED, id);
      });
    await seal(Buffer.from("sealed under a key that is gone"));
    bed.start();
    await bed.write([1]);
    const attemptsOf = async () => (await deliveriesOf(bed.app, hook["id"]))[0]?.["attempts"] ?? [];
    await until(async () => (await attemptsOf()).length === 1);
    const [first] = await attemptsOf();
    assert.equal(first.failure, "secret_unreadable");
    bed.clock.advance(6 * 24 * HOUR);
    await until(async () => (await attemptsOf())[0].at !== first.at);
    const shown = await bed.readHook(hook);
    assert.deepEqual([shown.status, shown.failing_since, (await attemptsOf()).length], ["enabled", null, 1]);
    const tested = await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/test`);
    assert.deepEqual([tested.status, tested.body.code], [409, "secret_unreadable"]);
    assert.equal(endpoint.posts.length, 0);
    await seal(secret);
    bed.clock.advance(2 * MINUTE);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "delivered")).length === 1);
  });

  it("not by failures between which something is delivered", async () => {
    const { endpoint, hook } = await bed.listen(({ numbers }, response) =>
      response.writeHead(numbers[0] === 2 ? 200 : 500).end(),
    );
    bed.start();
    await bed.write([1]);
    await until(async () => (await bed.readHook(hook)).failing_since !== null);
    bed.clock.advance(3 * 24 * HOUR);
    await bed.write([2]);
    await until(async () => (await bed.readHook(hook)).last_delivered_at !== null);
    bed.clock.advance(3 * 24 * HOUR);
    await bed.write([3]);
    await until(async () =>
      (await deliveriesOf(bed.app, hook["id"])).some(
        ({ attempts }) => attempts.length > 0 && endpoint.numbers().includes(3),
      ),
    );
    await until(async () => (await bed.readHook(hook)).failing_since !== null);
    assert.equal((await bed.readHook(hook)).status, "enabled");
  });
});

describe("an endpoint that changes meanwhile", () => {
  it("may be deleted in mid-delivery, and nothing of it stays", async () => {
    const held: (() => void)[] = [];
    const { endpoint, hook } = await bed.listen(({ nth }, response) =>
      nth > 8 ? response.end() : held.push(() => response.end()),
    );
    const other = await bed.listen(answerOk);
    bed.start();
    await bed.write(upTo(10));
    await until(() => held.length === 8);
    assert.equal((await bed.app.api("DELETE", `/v1/webhooks/${hook["id"]}`)).status, 204);
    for (const release of held) release();
    await bed.write([11]);
    await other.endpoint.reach(11);
    await bed.stop();
    assert.ok(endpoint.posts.length >= 8);
    assert.equal((await bed.app.api("GET", `/v1/webhooks/${hook["id"]}/deliveries`)).status, 404);
    const { rows } = await bed.app.db.one<{ rows: number }>(
      sql`select count(*) as rows from webhook_deliveries where webhook_id = ${uuidOf("whk", hook["id"])}`,
    );
    assert.equal(rows, 0);
  });

  it("gets later events at its new address and by its new types, and loses none", async () => {
    const { endpoint, hook } = await bed.listen(answerWith(500));
    const next = await startEndpoint();
    bed.closes(next);
    bed.start();
    await bed.write([1]);
    await until(async () => (await deliveriesOf(bed.app, hook["id"], "waiting")).length === 1);
    const patch = { url: next.url, events: ["list.updated", "topic.updated"] };
    assert.equal((await bed.app.api("PATCH", `/v1/webhooks/${hook["id"]}`, { body: patch })).status, 200);
    // The edit is told by a notification, so that a try which was due just then may have gone to the old address.
    await until(() => {
      bed.clock.advance(6 * SECOND);
      return next.numbers().includes(1);
    });
    await bed.write([2]);
    await bed.write([3], { type: "topic.updated" });
    await next.reach(3);
    assert.deepEqual([...next.numbers()].sort(), [1, 2, 3]);
    assert.deepEqual([...new Set(endpoint.numbers())], [1]);
    assert.equal((await bed.readHook(hook)).failing_since, null);
  });

  it("gets an event of a type it wants since its edit, also where its old types passed over that", async () => {
    const held: (() => void)[] = [];
    const { endpoint, hook } = await bed.listen(({ nth }, response) =>
      nth === 1 ? held.push(() => response.end()) : response.end(),
    );
    bed.start();
    await bed.write([1]);
    await endpoint.reach(1);
    // Nobody is told of the edit, as if the notification were late, so that the old types are gone by for longer.
    await bed.app.db.execute(sql`
      update webhooks set events = '{list.updated,topic.updated}', version = version + 1
      where id = ${uuidOf("whk", hook["id"])}`);
    await bed.write([2], { type: "topic.updated" });
    await bed.write([3]);
    await until(() => endpoint.numbers().includes(3));
    for (const release of held) release();
    await until(() => new Set(endpoint.numbers()).size === 3);
    for (const number of [1, 2, 3])
      assert.equal(new Set(timesOf(endpoint, number).map(({ id }) => id)).size, 1);
  });

  it("goes on where it stopped after it was disabled for a while", async () => {
    const { endpoint, hook } = await bed.listen(answerOk);
    bed.start();
    await bed.write([1]);
    await endpoint.reach(1);
    await bed.app.api("PATCH", `/v1/webhooks/${hook["id"]}`, { body: { status: "disabled" } });
    await bed.write([2]);
    await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/enable`);
    await bed.write([3]);
    await until(() => new Set(endpoint.numbers()).size === 3);
  });
});

describe("a replay", () => {
  it("posts again what was, under the same ids, while new events come too", async () => {
    const { endpoint, hook } = await bed.listen(answerOk);
    bed.start();
    const since = new Date(bed.clock.now().getTime() + 1);
    bed.clock.advance(10);
    await bed.write(upTo(300));
    await endpoint.reach(300);
    await hasCaughtUp(bed.app, hook["id"]);
    const first = new Map(endpoint.posts.map(({ id, numbers }) => [numbers[0], id]));
    bed.clock.advance(10);
    const begun = await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/replay`, {
      body: { since: since.toISOString() },
    });
    assert.equal(begun.status, 202, begun.text);
    await bed.write([301]);
    await until(async () => (await bed.readHook(hook)).replay === null);
    await endpoint.reach(601);
    assert.equal(endpoint.posts.length, 601);
    for (const { id, numbers } of endpoint.posts.slice(300)) {
      if (numbers[0] !== 301) assert.equal(id, first.get(numbers[0]));
    }
  });

  it("has the events of a transaction that began earlier and wrote later than another", async () => {
    const { endpoint, hook } = await bed.listen(answerOk);
    bed.clock.advance(3 * HOUR);
    const since = bed.clock.now().toISOString();
    const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = bed.app.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_current_xact_id()`);
      begun.resolve();
      await goesOn.promise;
      await recordIn(bed.app, tx, [{ type: "list.updated", data: { count: 2 } }], bed.clock);
    });
    await begun.promise;
    await bed.write([1]);
    bed.clock.advance(10);
    goesOn.resolve();
    await late;
    bed.start();
    await endpoint.reach(2);
    await hasCaughtUp(bed.app, hook["id"]);
    const replay = await bed.app.api("POST", `/v1/webhooks/${hook["id"]}/replay`, { body: { since } });
    assert.equal(replay.status, 202, replay.text);
    await until(async () => (await bed.readHook(hook)).replay === null);
    assert.deepEqual(endpoint.numbers().sort(), [1, 1, 2, 2]);
  });
});
