/** A scheduled campaign starts once, within two seconds of its time, however much is due or being sent. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, inAnHour, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { eventsSince, type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DUE_AT_ONCE = 50;
const LATEST_MS = 2_000;
/** This is long enough to compile all campaigns three times on a machine that sends meanwhile. */
const AHEAD_MS = 10_000;

let apps: readonly TestApp[];
before(async () => {
  const first = await createApp({ logLevel: "warn" });
  const settings = { ROLES: "jobs" };
  const more = { logLevel: "warn", settings, databaseUrl: first.databaseUrl } as const;
  apps = [first, await createApp(more), await createApp(more)];
});
after(async () => {
  for (const app of apps.toReversed()) await app.stop();
});

async function listOf(app: TestApp, people: number, domain: string): Promise<string> {
  const listId = await makeList(app);
  for (let from = 0; from < people; from += 1_000) {
    const count = Math.min(1_000, people - from);
    const subscribers = Array.from({ length: count }, (_, at) => ({
      email: `person${from + at}@${domain}`,
      list_id: listId,
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
  }
  return listId;
}

test("fifty that are due in the same second all start within two, once each, while another is sent and three processes look", async (t) => {
  const [app] = apps as [TestApp];
  const [busyList, listId] = [
    await listOf(app, 4_000, "busy.example"),
    await listOf(app, 3, "punctual.example"),
  ];
  const ids: string[] = [];
  for (let n = 0; n < DUE_AT_ONCE; n++) ids.push((await makeCampaign(app, listId))["id"]);
  const busy = (await makeCampaign(app, busyList))["id"];

  for (const id of ids) {
    const reply = await act(app, id, "schedule", { send_at: inAnHour() });
    assert.equal(reply.status, 200, reply.text);
  }
  // All campaigns get the same time here, because on a slow machine it might be past before the last request set it.
  const sendAt = new Date(Date.now() + AHEAD_MS);
  await app.db.execute(sql`update campaigns set send_at = ${sendAt} where status = 'scheduled'`);
  assert.equal((await act(app, busy, "send")).status, 202);
  const waitedBeforeMs = waitedForProcessorMs();
  const started = new Map<string, Json>();
  await until(async () => {
    for (const id of ids.filter((one) => !started.has(one))) {
      const campaign = await readCampaign(app, id);
      if (campaign["started_at"] !== null) started.set(id, campaign);
    }
    return started.size === DUE_AT_ONCE;
  });

  // All three apps run in this process with the sender and this test; PostgreSQL and the threads wait as long as it
  // does.
  const starvedMs = waitedForProcessorMs() - waitedBeforeMs;
  const lateMs = [...started.values()].map(
    ({ started_at: at, send_at: due }) => Date.parse(at) - Date.parse(due),
  );
  t.diagnostic(`started ${Math.min(...lateMs)} to ${Math.max(...lateMs)} ms after their time`);
  assert.ok(Math.min(...lateMs) >= 0, `one started ${-Math.min(...lateMs)} ms before its time`);
  assert.ok(
    Math.max(...lateMs) <= LATEST_MS + 2 * starvedMs,
    `the last was ${Math.max(...lateMs)} ms late; this thread waited ${starvedMs.toFixed(0)} ms for a processor`,
  );
  const { events } = await eventsSince(app);
  const starts = events
    .filter(({ type }) => type === "campaign.sending")
    .map(({ data }) => data.campaign_id)
    .filter((id) => id !== busy);
  assert.deepEqual(starts.toSorted(), ids.toSorted());
});

/** Returns how long this thread was ready but had no processor, by proc_pid_schedstat; 0 where the system doesn't say. */
function waitedForProcessorMs(): number {
  const path = "/proc/thread-self/schedstat";
  return existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[1]) / 1e6 : 0;
}
