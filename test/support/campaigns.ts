/** Creates campaigns for tests through the API, and brings them into any state by the actions that lead to it. */
import assert from "node:assert/strict";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import type { HowEnded } from "../../src/delivery/delivery.ts";
import { lockSources } from "../../src/delivery/ledger/owner-store.ts";
import { removeRunnable } from "../../src/delivery/ledger/runnable-store.ts";
import { moveSource } from "../../src/delivery/ledger/source-store.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Reply, TestApp } from "./app.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "./subscribers.ts";

const HOUR_MS = 3_600_000;

export async function makeCampaign(app: TestApp, listId: string, more: Json = {}): Promise<Json> {
  const body = { name: "News", list_id: listId, subject: "News", html: "<p>News for you</p>", ...more };
  const made = await app.api("POST", "/v1/campaigns", { body });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

export async function readCampaign(app: TestApp, id: string): Promise<Json> {
  const read = await app.api("GET", `/v1/campaigns/${id}`);
  assert.equal(read.status, 200, read.text);
  return read.body;
}

/** Holds the numbers of each campaign in a page against its own statistics. Returns how many were launched. */
export async function comparePageNumbers(app: TestApp): Promise<number> {
  const { body } = await app.api("GET", "/v1/campaigns?include_stats=true&limit=200");
  let launched = 0;
  for (const { id, stats } of body.data) {
    const read = (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
    const { object: _o, campaign_id: _c, status: _s, as_of: _a, top_links: _l, ...numbers } = read;
    if (stats === null) assert.equal(numbers.recipients, 0);
    else assert.deepEqual(stats, numbers);
    if (stats !== null) launched++;
  }
  return launched;
}

export function act(app: TestApp, id: string, action: string, body?: Json): Promise<Reply> {
  return app.api("POST", `/v1/campaigns/${id}/${action}`, body && { body });
}

export function inAnHour(clock: Clock = systemClock): string {
  return new Date(clock.now().getTime() + HOUR_MS).toISOString();
}

/** Does what the engine does when a source is done or can't continue; it has no effect unless the source is running. */
export async function endSource(app: TestApp, id: string, how: HowEnded, clock = systemClock): Promise<void> {
  const log = createLog({ level: "silent", pretty: false });
  const accountId = uuidOf("acc", app.accountId);
  const campaignId = uuidOf("cmp", id);
  const actor = { kind: "system", id: null } as const;
  const state = how.kind === "done" ? "finished" : how.kind === "paused" ? "paused" : "failed";
  await app.db.transaction(async (tx) => {
    const to = { state, reason: how.kind, endedAt: clock.now() } as const;
    const [sourceId] = await lockSources(tx, accountId, campaignId);
    if (!sourceId || !(await moveSource(tx, accountId, sourceId, ["running"], to))) return;
    await removeRunnable(tx, accountId, sourceId);
    const source = { id: sourceId, stream: "campaign", ownerId: campaignId } as const;
    await campaignOwner.sourceEnded({ sql: tx, accountId, actor, clock, log }, source, how);
  });
}

/** Creates a list with one person on it. */
export async function makeAudience(app: TestApp): Promise<string> {
  const listId = await makeList(app);
  await addSubscriber(app, listId, "ada@example.com", { first_name: "Ada" });
  return listId;
}

/** Maps each state to the actions that lead to it. A state lasts only where no engine runs. */
const roads: Readonly<Record<string, readonly (string | HowEnded)[]>> = {
  draft: [],
  scheduled: ["schedule"],
  "scheduled again": ["send", { kind: "failed", reason: "test" }, "schedule"],
  sending: ["send"],
  "paused, from scheduled": ["schedule", "pause"],
  "paused, from sending": ["send", "pause"],
  failed: ["send", { kind: "failed", reason: "test" }],
  sent: ["send", { kind: "done" }],
  canceled: ["send", "cancel"],
};
export type StateName = keyof typeof roads;

export async function campaignThatIs(app: TestApp, listId: string, state: StateName): Promise<string> {
  const { id } = await makeCampaign(app, listId);
  for (const step of roads[state] ?? []) {
    if (typeof step !== "string") await endSource(app, id, step);
    else {
      const reply = await act(app, id, step, step === "schedule" ? { send_at: inAnHour() } : undefined);
      assert.ok(reply.status < 300, reply.text);
    }
  }
  return id;
}

/** Returns how severe a check of a campaign is; undefined where it found nothing. */
export async function severityOf(
  app: TestApp,
  campaignId: string,
  code: string,
): Promise<string | undefined> {
  const { body } = await app.api("GET", `/v1/campaigns/${campaignId}/checks`);
  return body.checks.find((check: Json) => check["code"] === code)?.severity;
}
