/**
 * Leads one person through a graph, step by step, as time goes by: the plainest reading of what a graph means. The person is asked and
 * changed through `World`, so that nothing here knows where a person is kept.
 */

import type { Rule } from "../../subscribers/subscribers.ts";
import type { EventTrigger, Exit, Graph, MailTrigger, Node, Trigger } from "../graph-types.ts";
import { decide, type Facts, type Standing } from "../steps/steps.ts";

export type World = {
  facts(name: string, node: Node, now: Date): Promise<Facts>;
  matches(rule: Rule, now: Date): Promise<boolean>;
  isInSegment(segmentId: string, now: Date): Promise<boolean>;
  /** Does to the person what the step does. */
  apply(node: Node, now: Date): Promise<void>;
};

/** Something that happens to the person on the way. */
export type Happening = { readonly at: Date } & (
  | { readonly type: "event"; readonly name: string; readonly properties: Readonly<Record<string, unknown>> }
  | {
      readonly type: MailTrigger["type"];
      readonly campaignId: string | undefined;
      readonly node: string | undefined;
    }
);

type Visit = {
  readonly node: string;
  readonly type: Node["type"];
  readonly arrivedAt: Date;
  /** Null where the person leaves the automation from here. */
  readonly way: string | null;
  readonly leftAt: Date;
  readonly reason: "done" | "waited" | "happened" | "timeout" | "rule" | "share" | "exit" | "end";
};

type HowRunEnds = "not_entered" | "completed" | "unsubscribed" | "goal" | "exit" | "too_many_visits";

export type Interpreted = {
  readonly path: readonly Visit[];
  readonly end: { readonly as: HowRunEnds; readonly at: Date };
};

/** A graph may go round for as long as it likes; a run may not. */
const MOST_VISITS = 500;

/** `happenings` are in the order of time. Those before `from` have no effect. */
export async function interpret(
  graph: Graph,
  world: World,
  from: Date,
  happenings: readonly Happening[],
): Promise<Interpreted> {
  const path: Visit[] = [];
  const ended = (as: HowRunEnds, at: Date): Interpreted => ({ path, end: { as, at } });
  if (graph.entry.filter && !(await world.matches(graph.entry.filter, from)))
    return ended("not_entered", from);
  const segments = await segmentsOfExits(graph, world, from);
  const left = happenings.filter(({ at }) => at >= from);
  let [name, now]: [string, Date] = [graph.start, from];
  for (let visits = 0; visits < MOST_VISITS; visits++) {
    const node = graph.nodes.get(name);
    if (!node) throw new Error(`there is no step ${name}`);
    const visit = { node: name, type: node.type, arrivedAt: now };
    const exit = await exitByRule(graph.exit, world, segments, now);
    if (exit) {
      path.push({ ...visit, way: null, leftAt: now, reason: "exit" });
      return ended(exit, now);
    }
    let standing: Standing = { arrivedAt: now, wokenBy: "arrival" };
    let decision = decide(node, standing, await world.facts(name, node, now), graph.send, now);
    while (decision.kind === "stay") {
      const next = left[0];
      // What happens at the moment when the time is over has happened before it.
      if (next && next.at <= decision.until) {
        left.shift();
        now = next.at > now ? next.at : now;
        const by = graph.exit.find((one) => "on" in one && isEvent(one.on, next));
        if (by) {
          path.push({ ...visit, way: null, leftAt: now, reason: "exit" });
          return ended(by.as, now);
        }
        if (node.type !== "wait_for" || !node.on.some((one) => isTriggeredBy(one, next))) continue;
        standing = { ...standing, wokenBy: "event" };
      } else {
        now = decision.until;
        standing = { ...standing, wokenBy: "time" };
      }
      decision = decide(node, standing, await world.facts(name, node, now), graph.send, now);
    }
    await world.apply(node, now);
    if (decision.kind === "end") {
      path.push({ ...visit, way: null, leftAt: now, reason: "end" });
      return ended(decision.as, now);
    }
    path.push({ ...visit, way: decision.way, leftAt: now, reason: reasonOf(node, standing, decision.way) });
    name = decision.to;
  }
  return ended("too_many_visits", now);
}

function reasonOf(node: Node, { wokenBy }: Standing, way: string): Visit["reason"] {
  if (node.type === "wait") return "waited";
  if (node.type === "branch") return "rule";
  if (node.type === "split") return "share";
  if (node.type !== "wait_for") return "done";
  if (way === "else") return "timeout";
  return wokenBy === "event" ? "happened" : "rule";
}

/** Of the segments that one may leave, returns those in which the person is at the beginning. */
async function segmentsOfExits(graph: Graph, world: World, now: Date): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const exit of graph.exit)
    if ("leavesSegment" in exit && (await world.isInSegment(exit.leavesSegment, now)))
      found.add(exit.leavesSegment);
  return found;
}

async function exitByRule(
  exits: readonly Exit[],
  world: World,
  segments: ReadonlySet<string>,
  now: Date,
): Promise<Exit["as"] | undefined> {
  for (const exit of exits) {
    if ("rule" in exit && (await world.matches(exit.rule, now))) return exit.as;
    if (
      "leavesSegment" in exit &&
      segments.has(exit.leavesSegment) &&
      !(await world.isInSegment(exit.leavesSegment, now))
    )
      return exit.as;
  }
  return undefined;
}

function isTriggeredBy(trigger: Trigger, happening: Happening): boolean {
  if (trigger.type === "event") return isEvent(trigger, happening);
  if (trigger.type !== "email_opened" && trigger.type !== "email_clicked") return false;
  if (happening.type === "event" || happening.type !== trigger.type) return false;
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
