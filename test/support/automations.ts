/** Makes automations live for tests of what runs them, by writing a version as publishing does. */
import assert from "node:assert/strict";
import { SERVED } from "../../src/app.ts";
import { advanceDue, type ExecutorTools } from "../../src/automations/executing/executing.ts";
import { readGraph } from "../../src/automations/graph/graph.ts";
import { prepareMails } from "../../src/automations/publishing/mails.ts";
import { readOneLive, wakeRuns } from "../../src/automations/runs/runs.ts";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { startContentWorkers } from "../../src/content/content.ts";
import { storeRevision } from "../../src/messages/messages.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { systemCtx, type TxCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { allFields, createHashAddress } from "../../src/subscribers/subscribers.ts";
import type { TestApp } from "./app.ts";
import { UNSIGNED } from "./signing.ts";
import { uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";

const log = createLog({ level: "silent", pretty: false });
export const RUN_TOOLS = { sent: campaignOwner.sentCampaigns };

export type GraphInput = {
  readonly nodes: object;
  readonly entry?: object;
  readonly exit?: readonly object[];
  readonly send?: object;
};

/** Writes a draft whose steps begin with the first; `end` is added to them where a step leads there. */
function draftOf({ nodes, entry, ...more }: GraphInput): object {
  return {
    format: 1,
    start: Object.keys(nodes)[0],
    entry: entry ?? { on: [{ type: "manual" }], reentry: { mode: "every_time" } },
    nodes: { ...nodes, ...(JSON.stringify(nodes).includes('"end"') && { end: { type: "end" } }) },
    ...more,
  };
}

export type Live = { readonly id: string; readonly automationId: string; readonly draft: object };

export async function makeLive(app: TestApp, listId: string, graph: GraphInput): Promise<Live> {
  const draft = draftOf(graph);
  const made = await app.api("POST", "/v1/automations", { body: { name: "Live", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  const id = uuidOf("aut", made.body.id);
  const accountId = uuidOf("acc", app.accountId);
  const { emails, isSandbox } = await freezeMails(app, { id, listId: uuidOf("lst", listId) }, draft);
  await app.db.execute(sql`
    insert into automation_versions (account_id, automation_id, number, graph, emails, is_sandbox, published_at)
    values (${accountId}, ${id}, 1, ${JSON.stringify(draft)}::json, ${JSON.stringify(emails)}::jsonb, ${isSandbox}, now())`);
  await setState(app, id, "live");
  return { id, automationId: made.body.id, draft };
}

const LIMITS = { threads: 1, compileTimeoutMs: 20_000, renderTimeoutMs: 5_000, memoryMb: 128 };

/** Freezes the mails of a draft and returns their revisions by step. */
async function freezeMails(
  app: TestApp,
  automation: { readonly id: string; readonly listId: string },
  draft: object,
): Promise<{ emails: Record<string, string>; isSandbox: boolean | null }> {
  const accountId = uuidOf("acc", app.accountId);
  const { graph, faults } = readGraph(draft, await allFields(app.db, accountId), "/draft");
  assert.ok(graph, JSON.stringify(faults));
  if (![...graph.nodes.values()].some(({ type }) => type === "email")) return { emails: {}, isSandbox: null };
  const workers = startContentWorkers(LIMITS);
  const tools = {
    workers,
    publicUrl: () => app.baseUrl,
    inboundDomain: undefined,
    hasBouncePath: async () => true,
    relayHost: undefined,
    internalHosts: [],
    served: SERVED,
    signing: UNSIGNED,
    unverifiedSenders: "warn" as const,
  };
  const ctx = systemCtx({ clock: systemClock, log }, app.db, accountId);
  const mails = await prepareMails(ctx, tools, automation, graph).finally(() => workers.close());
  assert.deepEqual(mails.faults, []);
  const emails: Record<string, string> = {};
  for (const [name, revision] of mails.revisions)
    emails[name] = await app.db.transaction((tx) => storeRevision(tx, accountId, revision, systemClock));
  return { emails, isSandbox: mails.isSandbox };
}

/** What leads runs on, by this clock. */
export function executorOf(app: TestApp, clock: Clock, more: Partial<ExecutorTools> = {}): ExecutorTools {
  const hash = createHashAddress(Buffer.alloc(32));
  return { db: app.db, clock, log, sent: RUN_TOOLS.sent, hash, hasInstanceServer: false, ...more };
}

export function advance(
  app: TestApp,
  clock: Clock,
  id: string,
  more: Partial<ExecutorTools> = {},
): Promise<number> {
  return advanceDue(executorOf(app, clock, more), uuidOf("acc", app.accountId), id);
}

/** Waits until somebody is led on: nobody is while another test has a transaction open that began before they were due. */
export async function untilLed(lead: () => Promise<number>): Promise<number> {
  let led = 0;
  await until(async () => {
    led = await lead();
    return led > 0;
  });
  return led;
}

export async function setState(app: TestApp, id: string, state: string): Promise<void> {
  await app.db.execute(sql`
    update automations set state = ${state}, version = 1 where account_id = ${uuidOf("acc", app.accountId)} and id = ${id}`);
}

/** Runs in a transaction of the app's first account, as the system. */
export function inAccount<T>(app: TestApp, clock: Clock, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
  return app.db.transaction((tx) => work(systemCtx({ clock, log }, tx, uuidOf("acc", app.accountId))));
}

export async function liveOf(app: TestApp, id: string) {
  const live = await readOneLive(app.db, uuidOf("acc", app.accountId), id);
  assert.ok(live, "the automation isn't live");
  return live;
}

/** Wakes people who stand at one of these steps by what happened at `at`, and returns how many. */
export async function wakePeople(
  ctx: TxCtx,
  automation: { readonly id: string },
  {
    subscriberIds,
    nodes,
    at,
  }: { readonly subscriberIds: readonly string[]; readonly nodes: readonly string[]; readonly at: Date },
): Promise<number> {
  const runs = await ctx.sql.many<{ runId: string; node: string }>(sql`
    select id as "runId", node from automation_runs
    where account_id = ${ctx.accountId} and automation_id = ${automation.id} and state = 'active'
      and subscriber_id = any(${[...subscriberIds]}::uuid[]) and node = any(${[...nodes]}::text[])
    order by id for update`);
  return wakeRuns(
    ctx,
    automation,
    runs.map((run) => ({ ...run, at })),
  );
}

export type RunRow = {
  id: string;
  subscriber_id: string;
  node: string;
  visit: number;
  state: string;
  ended_as: string | null;
  woken_by: string;
  due_at: Date;
};

export function runsOf(app: TestApp, id: string): Promise<RunRow[]> {
  return app.db.many<RunRow>(sql`
    select id, subscriber_id, node, visit, state, ended_as, woken_by, due_at from automation_runs
    where automation_id = ${id} order by entered_at, id`);
}

/** The sums by place and what: "entered", "wait left:next" and so on. */
export async function countsOf(app: TestApp, id: string): Promise<Record<string, number>> {
  const rows = await app.db.many<{ name: string; count: number }>(sql`
    select trim(node || ' ' || what) as name, sum(count)::int as count from automation_counts
    where automation_id = ${id} group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** Holds the sums against the runs: who entered is inside, completed or exited, for the whole and at each step. */
export async function assertBalanced(app: TestApp, id: string): Promise<void> {
  const counts = await countsOf(app, id);
  const inside = await app.db.many<{ node: string; count: number }>(sql`
    select node, count(*)::int as count from automation_runs where automation_id = ${id} and state = 'active' group by node`);
  const standing = new Map(inside.map(({ node, count }) => [node, count]));
  const all = [...standing.values()].reduce((sum, count) => sum + count, 0);
  const nodes = new Set(
    Object.keys(counts).flatMap((name) => (name.includes(" ") ? [name.split(" ")[0]] : [])),
  );
  const sumOf = (prefix: string) =>
    Object.entries(counts).reduce((sum, [name, count]) => (name.startsWith(prefix) ? sum + count : sum), 0);
  assert.equal(counts["entered"] ?? 0, all + (counts["completed"] ?? 0) + sumOf("exited:"), "of the whole");
  for (const node of nodes) {
    const left = sumOf(`${node} left:`) + sumOf(`${node} exited:`);
    assert.equal(counts[`${node} entered`] ?? 0, (standing.get(node ?? "") ?? 0) + left, `at ${node}`);
  }
}
