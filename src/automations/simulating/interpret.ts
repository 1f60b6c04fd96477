/**
 * Leads one person through a graph, step by step, as time goes by: the plainest reading of what a graph means. The person is asked and
 * changed through `World`, so that nothing here knows where a person is kept.
 */

import { type Rule, tagKey } from "../../subscribers/subscribers.ts";
import { CHANGES, type Change } from "../graph/graph.ts";
import type {
  EventTrigger,
  Exit,
  Graph,
  MailTrigger,
  Node,
  SegmentTrigger,
  Trigger,
} from "../graph-types.ts";
import {
  dateFieldOf,
  decide,
  exitOf,
  type Facts,
  type HowLeft,
  MOST_VISITS,
  reasonOf,
  rulesOf,
  type Standing,
  type VisitReason,
} from "../steps/steps.ts";

export type World = {
  /** Whether the person matches each of the rules at this moment, what day their field holds, by which clock they live, and why they can't be mailed. */
  ask(
    rules: readonly Rule[],
    dateField: string | undefined,
    now: Date,
  ): Promise<Omit<Facts, "share"> & { readonly why: string | null }>;
  shareAt(name: string): number;
  /** Returns the rules of a segment; undefined where it is gone. */
  readSegment(segmentId: string): Promise<Rule | undefined>;
  /** Does to the person what the step does. */
  apply(node: Node, now: Date): Promise<void>;
  /** Changes the person, and says whether they are otherwise now. */
  change(change: Change, now: Date): Promise<boolean>;
};

/** Something that happens to the person on the way. */
export type Happening = { readonly at: Date } & (
  | { readonly type: "event"; readonly name: string; readonly properties: Readonly<Record<string, unknown>> }
  | {
      readonly type: MailTrigger["type"];
      readonly campaignId: string | undefined;
      readonly node: string | undefined;
    }
  | Change
);

type Visit = {
  readonly node: string;
  readonly type: Node["type"];
  readonly arrivedAt: Date;
  /** Null where the person leaves the automation from here. */
  readonly way: string | null;
  readonly leftAt: Date;
  readonly reason: VisitReason;
};

type HowRunEnds = "not_entered" | "completed" | HowLeft | Exit["as"] | "too_many_visits" | "out_of_time";

export type Interpreted = {
  readonly path: readonly Visit[];
  readonly end: { readonly as: HowRunEnds; readonly at: Date };
};

/** `happenings` are in the order of time. Those before `from` have no effect. `isOver` says that it takes too long. */
export async function interpret(
  graph: Graph,
  world: World,
  from: Date,
  happenings: readonly Happening[],
  isOver: () => boolean = () => false,
): Promise<Interpreted> {
  const path: Visit[] = [];
  const ended = (as: HowRunEnds, at: Date): Interpreted => ({ path, end: { as, at } });
  const { filter } = graph.entry;
  const { matches, why } = await world.ask(filter ? [filter] : [], undefined, from);
  if (exitOf(why) || matches[0] === false) return ended("not_entered", from);
  const exits = await readExits(graph, world, from);
  const memberships = await openMemberships(graph, world, from);
  const left = happenings.filter(({ at }) => at >= from);
  let [name, now]: [string, Date] = [graph.start, from];
  for (let visits = 0; visits < MOST_VISITS; visits++) {
    if (isOver()) return ended("out_of_time", now);
    const node = graph.nodes.get(name);
    if (!node) throw new Error(`there is no step ${name}`);
    const visit = { node: name, type: node.type, arrivedAt: now };
    let standing: Standing = { arrivedAt: now, wokenBy: "arrival" };
    for (;;) {
      const { exit, facts } = await look(world, name, node, exits, now);
      if (exit) {
        path.push({ ...visit, way: null, leftAt: now, reason: "exit" });
        return ended(exit, now);
      }
      const decision = decide(node, standing, facts, graph.send, now);
      if (decision.kind === "stay") {
        const waiting = { name, node, exits, memberships };
        const next = await nextOf(graph, world, waiting, left, decision.until);
        now = next.at > now ? next.at : now;
        if (next.kind === "exit") {
          path.push({ ...visit, way: null, leftAt: now, reason: "exit" });
          return ended(next.as, now);
        }
        standing = { ...standing, wokenBy: next.kind };
        continue;
      }
      await world.apply(node, now);
      await memberships.look(now);
      if (decision.kind === "end") {
        path.push({ ...visit, way: null, leftAt: now, reason: "end" });
        return ended(decision.as, now);
      }
      path.push({ ...visit, way: decision.way, leftAt: now, reason: reasonOf(node, standing, decision.way) });
      name = decision.to;
      break;
    }
  }
  return ended("too_many_visits", now);
}

type RuleExit = { readonly as: Exit["as"]; readonly rule: Rule; readonly endsWhen: boolean };

/** One question tells all that a step, and the exits by rules, want to know of the person. */
async function look(world: World, name: string, node: Node, exits: readonly RuleExit[], now: Date) {
  const rules = rulesOf(node);
  const asked = [...rules, ...exits.map(({ rule }) => rule)];
  const { matches, why, ...known } = await world.ask(asked, dateFieldOf(node), now);
  const exit = exitOf(why) ?? exits.find(({ endsWhen }, at) => matches[rules.length + at] === endsWhen)?.as;
  return { exit, facts: { ...known, matches: matches.slice(0, rules.length), share: world.shareAt(name) } };
}

type Next =
  | { readonly kind: "time" | "event"; readonly at: Date }
  | { readonly kind: "exit"; readonly at: Date; readonly as: Exit["as"] | HowLeft };

type Waiting = {
  readonly name: string;
  readonly node: Node;
  readonly exits: readonly RuleExit[];
  readonly memberships: Memberships;
};

/**
 * Finds what wakes a run that waits, and takes what happened until then. What happens when the time is over comes before it. A change is made
 * when its time comes, after which a rule may hold that didn't; one that changes nothing doesn't happen.
 */
async function nextOf(
  graph: Graph,
  world: World,
  { name, node, exits, memberships }: Waiting,
  left: Happening[],
  until: Date,
): Promise<Next> {
  for (let next = left[0]; next && next.at <= until; next = left[0]) {
    left.shift();
    const happening = next;
    const by = graph.exit.find((one) => "on" in one && isTriggeredBy(one.on, happening));
    if (by) return { kind: "exit", at: next.at, as: by.as };
    if (isChange(next)) {
      if (!(await world.change(next, next.at))) continue;
      const { exit, facts } = await look(world, name, node, exits, next.at);
      if (exit) return { kind: "exit", at: next.at, as: exit };
      const moves = await memberships.look(next.at);
      if (node.type === "wait_for" && node.on.some((one) => moves.some((move) => isMove(one, move))))
        return { kind: "event", at: next.at };
      if (node.type === "wait_for" && facts.matches[0]) return { kind: "event", at: next.at };
    }
    const isAwaited = node.type === "wait_for" && node.on.some((one) => isTriggeredBy(one, happening));
    if (isAwaited) return { kind: "event", at: next.at };
  }
  return { kind: "time", at: until };
}

/** Exits by rules, and by leaving segments, as rules. Only who is in a segment at the beginning can leave it. */
async function readExits(graph: Graph, world: World, now: Date): Promise<readonly RuleExit[]> {
  const exits: RuleExit[] = [];
  for (const exit of graph.exit) {
    if ("rule" in exit) exits.push({ as: exit.as, rule: exit.rule, endsWhen: true });
    if (!("leavesSegment" in exit)) continue;
    const rule = await world.readSegment(exit.leavesSegment);
    if (rule && (await world.ask([rule], undefined, now)).matches[0])
      exits.push({ as: exit.as, rule, endsWhen: false });
  }
  return exits;
}

/** That a change brought the person into a segment, or out of it. */
type Move = { readonly type: SegmentTrigger["type"]; readonly segmentId: string };

/** The segments that steps wait for, and whether the person is in them. */
type Memberships = { look(now: Date): Promise<readonly Move[]> };

/** A segment that is gone is neither entered nor left. What the person's own steps bring about wakes nobody, so it is only taken note of. */
async function openMemberships(graph: Graph, world: World, now: Date): Promise<Memberships> {
  const triggers = [...graph.nodes.values()].flatMap((node) => (node.type === "wait_for" ? node.on : []));
  const ids = new Set(triggers.flatMap((one) => (isOfSegment(one) ? [one.segmentId] : [])));
  const segments: { readonly segmentId: string; readonly rule: Rule }[] = [];
  for (const segmentId of ids) {
    const rule = await world.readSegment(segmentId);
    if (rule) segments.push({ segmentId, rule });
  }
  const rules = segments.map(({ rule }) => rule);
  const ask = async (at: Date) => (rules.length > 0 ? (await world.ask(rules, undefined, at)).matches : []);
  let known = await ask(now);
  return {
    async look(at) {
      const matches = await ask(at);
      const before = known;
      known = matches;
      return segments.flatMap(({ segmentId }, place) =>
        matches[place] === before[place]
          ? []
          : [{ type: matches[place] ? "segment_entered" : "segment_left", segmentId }],
      );
    },
  };
}

function isOfSegment(trigger: Trigger): trigger is SegmentTrigger {
  return trigger.type === "segment_entered" || trigger.type === "segment_left";
}

function isMove(trigger: Trigger, { type, segmentId }: Move): boolean {
  return isOfSegment(trigger) && trigger.type === type && trigger.segmentId === segmentId;
}

function isChange(happening: Happening): happening is Happening & Change {
  return CHANGES.some((type) => type === happening.type);
}

function isTriggeredBy(trigger: Trigger, happening: Happening): boolean {
  if (trigger.type === "event") return isEvent(trigger, happening);
  if (trigger.type === "tag_added" || trigger.type === "tag_removed")
    return happening.type === trigger.type && tagKey(happening.tag) === tagKey(trigger.tag);
  if (trigger.type === "field_changed")
    return happening.type === "field_changed" && happening.field === trigger.field;
  if (trigger.type !== "email_opened" && trigger.type !== "email_clicked") return false;
  if (!("campaignId" in happening) || happening.type !== trigger.type) return false;
  return (
    (trigger.campaignId === undefined || trigger.campaignId === happening.campaignId) &&
    (trigger.node === undefined || trigger.node === happening.node)
  );
}

function isEvent(trigger: EventTrigger, happening: Happening): boolean {
  return (
    happening.type === "event" &&
    happening.name === trigger.name &&
    Object.entries(trigger.where).every(([key, value]) => happening.properties[key] === value)
  );
}
