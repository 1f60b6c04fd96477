/** A scheduled campaign starts once, at its time, whichever process looks at the schedule. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, endSource, inAnHour, makeAudience, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { eventsSince, type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
/** This is longer than two looks at the schedule. */
const A_WHILE_MS = 1_500;

const clock = createTestClock();
let app: TestApp;
let second: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs" }, clock });
  second = await createApp({ settings: { ROLES: "jobs" }, clock, databaseUrl: app.databaseUrl });
  listId = await makeAudience(app);
});
after(async () => {
  await second.stop();
  await app.stop();
});

async function schedule(more: Json = {}): Promise<string> {
  const { id } = await makeCampaign(app, listId, more);
  const reply = await act(app, id, "schedule", { send_at: inAnHour(clock) });
  assert.equal(reply.status, 200, reply.text);
  return id;
}

const hasStarted = async (id: string) => (await readCampaign(app, id))["started_at"] !== null;

async function startsOf(id: string): Promise<Json[]> {
  const { events } = await eventsSince(app);
  return events.filter(({ type, data }) => type === "campaign.sending" && data.campaign_id === id);
}

test("it starts at its time and not before, once, though two processes look", async () => {
  const id = await schedule();
  clock.advance(HOUR_MS - 1);
  await sleep(A_WHILE_MS);
  assert.equal(await hasStarted(id), false);
  clock.advance(1);
  await until(() => hasStarted(id));
  assert.equal((await readCampaign(app, id))["status_reason"], null);
  assert.equal((await startsOf(id)).length, 1);
});

test("ten that are due at once all start, each once", async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => schedule()));
  clock.advance(HOUR_MS);
  await until(async () => (await Promise.all(ids.map(hasStarted))).every(Boolean));
  for (const id of ids) assert.equal((await startsOf(id)).length, 1);
});

describe("on the way to its time", () => {
  it("it may be put off", async () => {
    const id = await schedule();
    const later = new Date(clock.now().getTime() + 2 * HOUR_MS).toISOString();
    assert.equal((await act(app, id, "schedule", { send_at: later })).body.send_at, later);
    clock.advance(HOUR_MS + 1);
    await sleep(A_WHILE_MS);
    assert.equal(await hasStarted(id), false);
    clock.advance(HOUR_MS);
    await until(() => hasStarted(id));
  });

  it("what its list says may change, also when it was prepared already", async () => {
    const id = await schedule();
    clock.advance(HOUR_MS - 1_000);
    await sleep(A_WHILE_MS);
    const off = await app.api("PATCH", `/v1/lists/${listId}`, { body: { tracking: "off" } });
    assert.equal(off.status, 200, off.text);
    clock.advance(1_000);
    await until(() => hasStarted(id));
    const stats = await app.api("GET", `/v1/campaigns/${id}/stats`);
    assert.equal(stats.body.tracking, "off");
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { tracking: null } });
  });

  it("it may be changed, and goes as it was last", async () => {
    const id = await schedule();
    clock.advance(HOUR_MS - 5_000);
    // By now the campaign has been compiled ahead of its time.
    await sleep(A_WHILE_MS);
    await app.api("PATCH", `/v1/campaigns/${id}`, { body: { html: "<p>{{ unknown }}</p>" } });
    clock.advance(5_000);
    await until(async () => (await readCampaign(app, id))["status"] === "failed");
    const failed = await readCampaign(app, id);
    assert.equal(failed["status_reason"], "preflight_failed: unresolved_variable");
    assert.ok(failed["allowed_actions"].includes("update"));
  });

  it("it may be paused, and then never starts by itself", async () => {
    const id = await schedule();
    await act(app, id, "pause");
    clock.advance(HOUR_MS);
    await sleep(A_WHILE_MS);
    assert.equal(await hasStarted(id), false);
    const refused = await act(app, id, "resume");
    assert.deepEqual([refused.status, refused.body.code], [409, "send_at_elapsed"]);
    const resumed = await act(app, id, "resume", { if_elapsed: "send_now" });
    assert.deepEqual([resumed.status, resumed.body.status], [200, "sending"], resumed.text);
  });
});

test("one that fell due while nobody was there starts when somebody is, and says so", async () => {
  const id = await schedule();
  const { cursor } = await eventsSince(app);
  // The clock steps over the campaign's time, as on a machine that was off.
  clock.step(2 * HOUR_MS);
  await until(() => hasStarted(id));
  assert.equal((await readCampaign(app, id))["status_reason"], "started_late");
  const { events } = await eventsSince(app, cursor);
  const started = events.find(({ type }) => type === "campaign.sending");
  assert.equal(started?.["data"].late_by_seconds, 3_600);
});

test("a second try that would reach another audience after mail has left fails at its time, and says why", async () => {
  const { id } = await makeCampaign(app, listId);
  assert.equal((await act(app, id, "send")).status, 202);
  await endSource(app, id, { kind: "failed", reason: "test" }, clock);
  const patched = await app.api("PATCH", `/v1/campaigns/${id}`, {
    body: { list_id: await makeAudience(app) },
  });
  assert.equal(patched.status, 200, patched.text);
  assert.equal((await act(app, id, "schedule", { send_at: inAnHour(clock) })).status, 200);
  // This row is what a sender would write whose message was under way until now.
  await app.db.execute(sql`
    insert into counters (account_id, source_id, worker_id, what, count)
    values (${uuidOf("acc", app.accountId)}, ${uuidOf("cmp", id)}, gen_random_uuid(), 'sent', 1)`);
  clock.advance(HOUR_MS);
  await until(async () => (await readCampaign(app, id))["status"] === "failed");
  assert.equal((await readCampaign(app, id))["status_reason"], "campaign_locked");
});

test("a clock that is set back starts nothing again", async () => {
  const id = await schedule();
  clock.advance(HOUR_MS);
  await until(() => hasStarted(id));
  clock.step(-2 * HOUR_MS);
  await sleep(A_WHILE_MS);
  clock.step(2 * HOUR_MS);
  await sleep(A_WHILE_MS);
  assert.equal((await startsOf(id)).length, 1);
});
