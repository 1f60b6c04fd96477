/**
 * Leads many runs on at once, in rounds: those who stand at the same step are asked, decided and changed together, until each waits or has
 * ended. What each step means is said by `decide` alone, as in a simulation. The rows that come of it are written by the caller.
 */
import type { TxCtx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import {
  changePeople,
  createFactReader,
  type FactReader,
  type HashAddress,
  type Rule,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Graph, Node } from "../graph-types.ts";
import { putIntoOutbox } from "../outbox/outbox.ts";
import { decideHeld, heldAt, type Place } from "../publishing/publishing.ts";
import type { Counts, Version } from "../runs/runs.ts";
import {
  changeOf,
  type Decision,
  dateFieldOf,
  exitOf,
  MOST_VISITS,
  reasonOf,
  rulesOf,
  shareOf,
  type VisitReason,
} from "../steps/steps.ts";
import type { FinishedVisit, MovedRun, TakenRun } from "./run-store.ts";
import { queueMail } from "./waves.ts";

export type WalkTools = {
  readonly sent: SentCampaigns;
  readonly hash: HashAddress;
  readonly hasInstanceServer: boolean;
};

export type Walk = {
  readonly automationId: string;
  readonly listId: string;
  readonly versionOf: (number: number) => Version;
  /** Says where a run stands in the newest version that it follows. */
  readonly placeOf: (run: TakenRun) => Place;
  readonly now: Date;
  /** Until when all that happened is known. A wait that is over later isn't over yet, though the run was due before. */
  readonly dueBy: Date;
};

/** A run as it will be written, and its place, which may be in a newer version than the row says until it leaves the step. */
type Walker = { -readonly [K in keyof MovedRun]: MovedRun[K] } & Pick<
  TakenRun,
  "subscriberId" | "contactId" | "segments"
> & { place: Place };

/** Returns where each run stands now. Finished visits and counts are added to what is given. */
export async function walk(
  ctx: TxCtx,
  tools: WalkTools,
  how: Walk,
  taken: readonly TakenRun[],
  visits: FinishedVisit[],
  counts: Counts,
): Promise<readonly MovedRun[]> {
  const runs = taken.map((run) => begin(run, how.placeOf(run)));
  const asking = await openAsking(ctx, tools, how);
  for (let moving = runs; moving.length > 0; ) {
    const next: Walker[] = [];
    for (const group of Map.groupBy(moving, ({ place }) => nameOf(place)).values())
      next.push(...(await takeStep(ctx, tools, how, asking, group, visits, counts)));
    moving = next;
  }
  return runs;
}

function nameOf({ version, node, wait }: Place): string {
  return `${version} ${node} ${wait.version} ${wait.node}`;
}

function begin(run: TakenRun, place: Place): Walker {
  const { id, subscriberId, contactId, version, node, visit, wokenBy, arrivedAt, segments } = run;
  const stands = { version, node, visit, wokenBy, arrivedAt, dueAt: arrivedAt };
  const goesOn = { state: "active", endedAs: null, endedAt: null } as const;
  return { id, subscriberId, contactId, segments, ...stands, ...goesOn, place };
}

type RuleExit = { readonly as: string; readonly rule: Rule; readonly leaves: string | undefined };
type Asking = FactReader & {
  /** Is called when people were changed, of whom everything is asked anew then. */
  forget(): void;
  exitsOf(graph: Graph): Promise<readonly RuleExit[]>;
};
type PersonFacts = NonNullable<ReturnType<Awaited<ReturnType<FactReader["read"]>>["get"]>>;

/**
 * Most steps ask nothing of a person but their clock and whether they may be mailed, which is read once in a transaction, however many steps
 * follow each other. Rules and dates are asked at every step.
 */
function rememberFacts(reader: FactReader): FactReader & { forget(): void } {
  const known = new Map<string, PersonFacts | undefined>();
  return {
    async read(ids, rules, dateField, at) {
      const isPlain = rules.length === 0 && dateField === undefined;
      const asked = isPlain ? ids.filter((id) => !known.has(id)) : ids;
      const people = asked.length > 0 ? await reader.read(asked, rules, dateField, at) : new Map();
      for (const id of asked) {
        const facts = people.get(id);
        known.set(id, facts && { ...facts, matches: [], date: null });
      }
      if (!isPlain) return people;
      return new Map(
        ids.flatMap((id) => {
          const facts = known.get(id);
          return facts ? [[id, facts] as const] : [];
        }),
      );
    },
    forget: () => known.clear(),
  };
}

async function openAsking(ctx: TxCtx, { sent }: WalkTools, { listId }: Walk): Promise<Asking> {
  const known = new Map<Graph, readonly RuleExit[]>();
  return {
    ...rememberFacts(await createFactReader(ctx, listId, sent)),
    async exitsOf(graph) {
      const exits = known.get(graph) ?? (await readExits(ctx, graph, listId));
      known.set(graph, exits);
      return exits;
    },
  };
}

/** Exits by rules, and by leaving segments, as rules; in the order of the graph. A segment that is gone can't be left. */
async function readExits(
  { sql, accountId }: TxCtx,
  graph: Graph,
  listId: string,
): Promise<readonly RuleExit[]> {
  const exits: RuleExit[] = [];
  for (const exit of graph.exit) {
    if ("rule" in exit) exits.push({ as: exit.as, rule: exit.rule, leaves: undefined });
    if (!("leavesSegment" in exit)) continue;
    const rule = await readSegmentRules(sql, accountId, exit.leavesSegment, listId);
    if (rule) exits.push({ as: exit.as, rule, leaves: exit.leavesSegment });
  }
  return exits;
}

/** Takes those who stand at one step through it, and returns who stands at another now. */
async function takeStep(
  ctx: TxCtx,
  tools: WalkTools,
  how: Walk,
  asking: Asking,
  group: readonly Walker[],
  visits: FinishedVisit[],
  counts: Counts,
): Promise<readonly Walker[]> {
  const { place } = group[0] as Walker;
  const { node: name } = place;
  const version = how.versionOf(place.version);
  const { node } = heldAt(place, (number) => how.versionOf(number).graph);
  const leaving: Leaving[] = [];
  for (const { run, outcome } of await decideAll(how, asking, place, group)) {
    if (outcome.kind === "stay") {
      stay(run, outcome.until);
      continue;
    }
    follow(run, counts);
    if (outcome.kind === "exit") {
      visits.push(finish(run, null, "exit", how.now));
      end(run, "exited", outcome.as, how.now);
      counts.add(name, `exited:${outcome.as}`);
      counts.add("", `exited:${outcome.as}`);
    } else leaving.push({ run, decision: outcome });
  }
  if (leaving.length === 0) return [];
  const sources = await applyStep(ctx, tools, how, version, name, node, leaving);
  if (changeOf(node)) asking.forget();
  return leaving.flatMap(({ run, decision }, at) => {
    const mail = sources && { sourceId: sources[at] ?? null, contactId: run.contactId };
    return leave(run, node, decision, how.now, mail, visits, counts);
  });
}

type Leaving = { readonly run: Walker; readonly decision: Exclude<Decision, { kind: "stay" }> };
type Outcome = Decision | { readonly kind: "exit"; readonly as: string };

async function decideAll(
  { automationId, versionOf, now, dueBy }: Walk,
  { read, exitsOf }: Asking,
  place: Place,
  group: readonly Walker[],
): Promise<readonly { run: Walker; outcome: Outcome }[]> {
  const held = heldAt(place, (number) => versionOf(number).graph);
  const { graph, node, waitNode } = held;
  const exits = await exitsOf(graph);
  const rules = rulesOf(node);
  const asksShare = node.type === "split" || waitNode.type === "split";
  const asked = [...rules, ...exits.map(({ rule }) => rule)];
  const ids = [...new Set(group.map(({ subscriberId }) => subscriberId))];
  const people = await read(ids, asked, dateFieldOf(node), now);
  // Few are held by the wait of an earlier version, which asks for other things.
  const formerly =
    waitNode === node ? people : await read(ids, rulesOf(waitNode), dateFieldOf(waitNode), now);
  return group.map((run) => {
    const known = people.get(run.subscriberId);
    const former = formerly.get(run.subscriberId);
    if (!known || !former) return { run, outcome: { kind: "exit", as: "unsubscribed" } };
    const exit = exits.find(({ leaves }, at) => {
      const isMet = known.matches[rules.length + at] === true;
      return leaves === undefined ? isMet : !isMet && run.segments?.includes(leaves) === true;
    });
    const as = exitOf(known.why) ?? exit?.as;
    if (as) return { run, outcome: { kind: "exit", as } };
    const share = asksShare ? shareOf(automationId, place.node, run.subscriberId) : 0;
    const facts = {
      node: { ...known, matches: known.matches.slice(0, rules.length), share },
      wait: { ...former, share },
    };
    const at = run.arrivedAt > dueBy ? run.arrivedAt : dueBy;
    return { run, outcome: decideHeld(held, run, facts, at) };
  });
}

/** Does what the step does to all who leave it. Returns the sources of their mails where it sends one. */
async function applyStep(
  ctx: TxCtx,
  { hash, hasInstanceServer }: WalkTools,
  { automationId, listId }: Walk,
  { emails, isSandbox }: Version,
  name: string,
  node: Node,
  leaving: readonly Leaving[],
): Promise<readonly string[] | undefined> {
  const runs = leaving.map(({ run }) => run);
  const change = changeOf(node);
  if (change) {
    const ids = [...new Set(runs.map(({ subscriberId }) => subscriberId))];
    await changePeople(ctx, hash, change, ids, toPublicId("aut", automationId));
  }
  if (node.type === "webhook" || node.type === "notify")
    await putIntoOutbox(ctx, { automationId, name, node }, runs);
  if (node.type !== "email") return undefined;
  const revisionId = emails.get(name);
  if (revisionId === undefined) throw new Error(`the mail of ${name} was not frozen`);
  const topicId = node.message.topic_id ? (fromPublicId("top", node.message.topic_id) ?? null) : null;
  const mailing = { automationId, listId, node: name, revisionId, topicId, hasInstanceServer, isSandbox };
  return queueMail(ctx, mailing, runs);
}

/** Puts a run that is about to leave its step into the version that it follows. Where its step became another, it is counted as moved there. */
function follow(run: Walker, counts: Counts): void {
  const { version, node } = run.place;
  if (run.node !== node) {
    counts.add(run.node, "left:moved");
    counts.add(node, "entered");
  }
  run.version = version;
  run.node = node;
}

function stay(run: Walker, until: Date): void {
  run.dueAt = until;
  run.wokenBy = "time";
}

function leave(
  run: Walker,
  node: Node,
  decision: Leaving["decision"],
  now: Date,
  mail: Pick<FinishedVisit, "sourceId" | "contactId"> | undefined,
  visits: FinishedVisit[],
  counts: Counts,
): readonly Walker[] {
  const { node: name } = run;
  if (decision.kind === "end") {
    visits.push(finish(run, null, "end", now, mail));
    const isCompleted = decision.as === "completed";
    end(run, isCompleted ? "completed" : "exited", decision.as, now);
    counts.add(name, isCompleted ? "left:end" : `exited:${decision.as}`);
    counts.add("", isCompleted ? "completed" : `exited:${decision.as}`);
    return [];
  }
  visits.push(finish(run, decision.way, reasonOf(node, run, decision.way), now, mail));
  counts.add(name, `left:${decision.way}`);
  if (run.visit >= MOST_VISITS) {
    end(run, "exited", "too_many_visits", now);
    counts.add("", "exited:too_many_visits");
    return [];
  }
  const stands = { version: run.version, node: decision.to };
  run.place = { ...stands, wait: stands };
  run.node = decision.to;
  run.visit++;
  run.arrivedAt = now;
  run.dueAt = now;
  run.wokenBy = "arrival";
  counts.add(decision.to, "entered");
  return [run];
}

function finish(
  { id, visit, version, node, arrivedAt }: Walker,
  way: string | null,
  reason: VisitReason,
  leftAt: Date,
  { sourceId, contactId }: Pick<FinishedVisit, "sourceId" | "contactId"> = {
    sourceId: null,
    contactId: null,
  },
): FinishedVisit {
  return { runId: id, visit, version, node, way, reason, arrivedAt, leftAt, sourceId, contactId };
}

function end(run: Walker, state: "completed" | "exited", as: string, now: Date): void {
  run.state = state;
  run.endedAs = as;
  run.endedAt = now;
}
