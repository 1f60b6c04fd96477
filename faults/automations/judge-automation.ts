/** Holds the journal of an automation against its graph, its sums, the ledger and the receiving server's log. */

import type { Result } from "../../bench/harness/bench.ts";
import { median } from "../../bench/harness/numbers.ts";
import { sql } from "../../src/platform/db/db.ts";
import type { TestApp } from "../../test/support/app.ts";
import type { SinkLog } from "../../test/support/sink/sink.ts";
import { uuidOf } from "../../test/support/subscribers.ts";
import type { ReceivedPost } from "../../test/support/webhooks.ts";
import { atMost, exactly, type Setting } from "../fault.ts";
import { ranMs, type Stall } from "../judge.ts";
import { describeStalls } from "../testbed.ts";
import { judgeEvents } from "./judge-events.ts";

type Nodes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** When a process was killed, and whether it had a transaction open just before. */
export type Killed = { readonly atMs: number; readonly inTransaction: boolean };

type Case = {
  readonly automationId: string;
  readonly nodes: Nodes;
  readonly otherListId: string;
  readonly people: number;
  readonly killed: readonly Killed[];
  readonly log: SinkLog;
  readonly posts: readonly ReceivedPost[];
  readonly isDone: boolean;
  readonly setting: Setting;
  readonly stalls: readonly Stall[];
};

type Visit = {
  run_id: string;
  email: string;
  visit: number;
  node: string;
  way: string | null;
  reason: string | null;
  left_at: Date;
  source_id: string | null;
  /** What became of its mail; null where the ledger has no row of it. */
  mail_state: string | null;
};

const ASKED_SECONDS = 2;

export async function* judgeAutomation(app: TestApp, one: Case): AsyncIterable<Result> {
  const { automationId, nodes, people, killed, log, isDone, setting, stalls } = one;
  const name = `automations, killed ${killed.length} times`;
  const visits = await readJournal(app, automationId);
  const runs = Map.groupBy(visits, ({ run_id }) => run_id);
  const ways = [...runs.values()];
  const inMidst = killed.filter(({ inTransaction }) => inTransaction).length;
  yield exactly(`${name}: people who are through`, await countThrough(app, automationId), people, "people", [
    `${visits.length} steps; ${inMidst} processes were killed with a transaction open; ${isDone ? "all was settled" : "not all was settled in time"}`,
  ]);
  const gone = ways.filter((way) => way.some(({ visit }, at) => visit !== at + 1));
  yield exactly(`${name}: runs with a gap in their journal`, gone.length, 0, "runs");
  const astray = ways.filter((way) => !isAlong(nodes, way));
  yield exactly(`${name}: runs that left the graph, or stopped before its end`, astray.length, 0, "runs");
  yield* judgeEvents(app, name, automationId, one.posts);
  yield* judgeMails(app, name, visits, log);
  yield* judgeChanges(app, name, visits, one.otherListId);
  yield exactly(
    `${name}: sums that differ from a recount`,
    await countWrongSums(app, automationId, visits),
    0,
    "sums",
  );
  const gaps = takeOversMs(visits, killed, stalls);
  yield atMost(
    `${name}: another went on after`,
    Math.max(0, ...gaps) / 1_000,
    ASKED_SECONDS * setting.slack,
    "s",
    [
      gaps.length > 0
        ? `p50 ${(median(gaps) / 1_000).toFixed(2)} s, of ${gaps.length} kills after which somebody was led on`
        : "nobody was led on after a kill",
      describeStalls(stalls),
    ],
  );
}

function readJournal(app: TestApp, automationId: string): Promise<Visit[]> {
  return app.db.many<Visit>(sql`
    select j.run_id, s.email, j.visit, j.node, j.way, j.reason, j.left_at, j.source_id, d.state as mail_state
    from automation_journal j
    join automation_runs r on r.account_id = j.account_id and r.id = j.run_id
    join subscribers s on s.account_id = r.account_id and s.id = r.subscriber_id
    left join deliveries d on d.account_id = j.account_id and d.source_id = j.source_id and d.contact_id = j.contact_id
    where j.automation_id = ${automationId} order by j.run_id, j.visit`);
}

async function countThrough(app: TestApp, automationId: string): Promise<number> {
  const { n } = await app.db.one<{ n: number }>(sql`
    select count(*) as n from (
      select from automation_runs where automation_id = ${automationId}
      group by subscriber_id having bool_and(state <> 'active')) as through`);
  return n;
}

/** Whether each visit is at the step to which the one before it led, from the first step to the end. */
function isAlong(nodes: Nodes, way: readonly Visit[]): boolean {
  let next: unknown = Object.keys(nodes)[0];
  for (const visit of way) {
    if (visit.node !== next) return false;
    next = nextOf(nodes[visit.node] ?? {}, visit.way);
  }
  return next === undefined;
}

function nextOf(node: Readonly<Record<string, unknown>>, way: string | null): unknown {
  if (way === null) return undefined;
  if (way === "next" || way === "then" || way === "else") return node[way];
  return (node["ways"] as readonly { next: string }[] | undefined)?.[Number(way)]?.next;
}

/** Rows of the journal that say a mail, rows of the ledger, and what came to the server are one to one. */
async function* judgeMails(
  app: TestApp,
  name: string,
  visits: readonly Visit[],
  { bodies, faults }: SinkLog,
): AsyncIterable<Result> {
  const mailed = visits.filter(({ source_id }) => source_id !== null);
  const { rows } = await app.db.one<{ rows: number }>(
    sql`select count(*) as rows from deliveries where stream = 'automation'`,
  );
  const unqueued = mailed.filter(({ mail_state }) => mail_state === null);
  yield exactly(`${name}: mails of the journal that aren't in the ledger`, unqueued.length, 0, "mails");
  yield exactly(`${name}: rows of the ledger`, rows, mailed.length, "rows");
  // A goal takes back what hasn't left.
  const sent = mailed.filter(({ mail_state }) => mail_state !== "skipped");
  const asked = Map.groupBy(sent, ({ email }) => email);
  const came = Map.groupBy(
    bodies.filter(({ taken }) => taken),
    ({ to }) => to,
  );
  const lost = [...asked].filter(([to, mails]) => new Set(came.get(to)?.map(idOf)).size < mails.length);
  const doubled = [...came].filter(([to, some]) => some.length > (asked.get(to)?.length ?? 0));
  yield exactly(
    `${name}: lost by the server's log`,
    lost.length,
    0,
    "people",
    lost.slice(0, 5).map(([to]) => to),
  );
  yield exactly(`${name}: doubled by the server's log`, doubled.length, 0, "people", [
    `${mailed.length} mails in the journal, ${mailed.length - sent.length} taken back by a goal, ${bodies.length} bodies came`,
    ...doubled.slice(0, 5).map(([to]) => to),
  ]);
  yield exactly(`${name}: breaches of SMTP`, faults.length, 0, "commands", faults.slice(0, 5));
}

function idOf({ messageId }: { readonly messageId: string | null }): string {
  return messageId ?? "";
}

/** Whoever passed a step that changes people is changed, and nobody else. */
async function* judgeChanges(
  app: TestApp,
  name: string,
  visits: readonly Visit[],
  otherListId: string,
): AsyncIterable<Result> {
  const at = (node: string) =>
    new Set(visits.flatMap((one) => (one.node === node && one.way !== null ? [one.email] : []))).size;
  const { tagged, copied } = await app.db.one<{ tagged: number; copied: number }>(sql`
    select (select count(*) from subscriber_tags st join subscribers s using (account_id)
            where s.id = st.subscriber_id and s.list_id <> ${uuidOf("lst", otherListId)}) as tagged,
           (select count(*) from subscribers where list_id = ${uuidOf("lst", otherListId)}) as copied`);
  yield exactly(`${name}: people with the tag`, tagged, at("marked"), "people");
  yield exactly(`${name}: people on the other list`, copied, at("copied"), "people");
}

/** Counts anew from the journal, since everybody is through. */
async function countWrongSums(app: TestApp, automationId: string, visits: readonly Visit[]): Promise<number> {
  const sums = await app.db.many<{ name: string; count: number }>(sql`
    select node || ' ' || what as name, sum(count)::bigint as count from automation_counts
    where automation_id = ${automationId} group by node, what`);
  const asked = new Map<string, number>();
  const add = (key: string) => asked.set(key, (asked.get(key) ?? 0) + 1);
  for (const { visit, node, way, reason } of visits) {
    const ended = reason === "exit" ? "exited:goal" : "left:end";
    add(`${node} entered`);
    add(`${node} ${way === null ? ended : `left:${way}`}`);
    if (visit === 1) add(" entered");
    if (way === null) add(reason === "exit" ? " exited:goal" : " completed");
  }
  for (const run of Map.groupBy(visits, ({ run_id }) => run_id).values()) addGoals(run, add);
  const names = new Set([...asked.keys(), ...sums.map((one) => one.name)]);
  const counted = new Map(sums.map((one) => [one.name, one.count]));
  return [...names].filter((key) => (asked.get(key) ?? 0) !== (counted.get(key) ?? 0)).length;
}

/** A run counts once for the automation, once at each goal, and once for each way of a split that it took before the first of them. */
function addGoals(run: readonly Visit[], add: (key: string) => void): void {
  const goals = run.filter(({ reason }) => reason === "goal" || reason === "exit");
  const [first] = goals;
  if (!first) return;
  add(" goal");
  for (const { node } of goals.filter(({ reason }) => reason === "goal")) add(`${node} goal`);
  const before = run.filter(({ visit, reason }) => reason === "share" && visit < first.visit);
  for (const taken of new Set(before.map(({ node, way }) => `${node} goal:${way}`))) add(taken);
}

/** How long after each kill the next step was taken by another process. */
function takeOversMs(
  visits: readonly Visit[],
  killed: readonly Killed[],
  stalls: readonly Stall[],
): number[] {
  // Whoever left by a goal did so when they bought, whenever that was read.
  const steps = visits.filter(({ reason }) => reason !== "exit");
  const times = steps.map(({ left_at }) => left_at.getTime()).sort((a, b) => a - b);
  return killed.flatMap(({ atMs }) => {
    const next = times.find((at) => at > atMs);
    return next === undefined ? [] : [ranMs(atMs, next, stalls)];
  });
}
