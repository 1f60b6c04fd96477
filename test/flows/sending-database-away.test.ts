/** The database goes away while a sender runs, and comes back. A rejection that nobody handles would fail these tests. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { assertAgree, countTwice } from "../support/delivery.ts";
import { makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PEOPLE = 2_000;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  // The service connects through the proxy, and the test to the database directly.
  app = await createApp({ databaseUrl: database.url, settings: { DATABASE_URL: proxy.url } });
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

let lists = 0;
async function makeAudience(): Promise<string> {
  const listId = await makeList(app);
  const domain = `away${++lists}.example`;
  for (let from = 0; from < PEOPLE; from += 1_000) {
    const subscribers = Array.from({ length: 1_000 }, (_, at) => ({
      email: `person${from + at}@${domain}`,
      list_id: listId,
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
  }
  return listId;
}

/** Reads straight from the ledger, because the service may be cut off. */
async function countRows(sourceId: string, state: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(
    sql`select count(*) as count from deliveries where source_id = ${sourceId} and state = ${state}`,
  );
  return count;
}

const outages = [
  ["for a moment", 0],
  ["for three seconds", 3_000],
  ["for longer than a sender goes on without it", 10_000],
] as const;

for (const [name, awayMs] of outages) {
  test(`cut off ${name} in the midst of sending, nobody is lost, and only who was on the wire may get it twice`, async () => {
    const { id } = await makeCampaign(app, await makeAudience());
    const sourceId = uuidOf("cmp", id);
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await countRows(sourceId, "sent")) > 100);
    await proxy.cut();
    const onTheWire = await countRows(sourceId, "inflight");
    const sent = await countRows(sourceId, "sent");
    assert.ok(sent < PEOPLE, `${sent} were sent before the cut`);
    await sleep(awayMs);
    assert.equal((await app.api("GET", "/healthz", { key: null })).status, 200);
    await proxy.restore();

    await until(async () => (await app.api("GET", "/readyz")).status === 200);
    await until(async () => {
      // A message that may have arrived is tried again after a minute, so its time is moved here.
      await app.db.execute(
        sql`update retries set due_at = now() where source_id = ${sourceId} and not claimed`,
      );
      return (await readCampaign(app, id))["status"] === "sent";
    });
    assertAgree(await countTwice(app, uuidOf("acc", app.accountId), sourceId));
    assert.equal(await countRows(sourceId, "sent"), PEOPLE);
    const { reached, messages } = await app.db.one<{ reached: number; messages: number }>(sql`
      select count(distinct contact_id) as reached, count(*) as messages
      from sandbox_messages where owner_id = ${sourceId}`);
    assert.equal(reached, PEOPLE);
    assert.ok(messages - PEOPLE <= onTheWire, `${messages - PEOPLE} twice, ${onTheWire} on the wire`);
    const unexplained = await app.db.many(sql`
      select contact_id from sandbox_messages where owner_id = ${sourceId} group by contact_id having count(*) > 1
      except select contact_id from deliveries where source_id = ${sourceId} and attempt > 1`);
    assert.deepEqual(unexplained, []);
  });
}
