/**
 * Says what becomes of a run at a step: it stays until a time, goes on by a way, or ends. This is the whole meaning of a graph. Nothing
 * here reads a clock or the database: what is to be known of the person is found before, for many people at once.
 */
import type { Rule } from "../../subscribers/subscribers.ts";
import type { Node, SendRules, SplitNode, WaitForNode, WaitNode } from "../graph-types.ts";
import { addSpan, momentOfDate, nextMoment, nextSendTime, readDuration } from "../times/times.ts";

/** Where a run stands, and why it is looked at: it has just come, its time has come, or what it waits for has happened. */
export type Standing = {
  readonly arrivedAt: Date;
  readonly wokenBy: "arrival" | "time" | "event";
};

/** What is known of the person at this moment, as far as the step asks for it. */
export type Facts = {
  /** The person's own time zone, or else the account's. */
  readonly zone: string;
  /** Whether the person matches each of `rulesOf` the step. */
  readonly matches: readonly boolean[];
  /** The person's date in `dateFieldOf` the step; null where there is none. */
  readonly date: string | null;
  /** The person's own number from 0 to 999 at this step, which stays the same however often they come. */
  readonly share: number;
};

export type Decision =
  | { readonly kind: "stay"; readonly until: Date }
  | { readonly kind: "go"; readonly way: string; readonly to: string }
  | { readonly kind: "end"; readonly as: "completed" | "unsubscribed" };

/** The rules that a step asks a person for, in the order of `Facts.matches`. */
export function rulesOf(node: Node): readonly Rule[] {
  if (node.type === "branch") return node.ways.map((way) => way.if);
  return node.type === "wait_for" && node.rule ? [node.rule] : [];
}

export function dateFieldOf(node: Node): string | undefined {
  return node.type === "wait" ? node.until?.field : undefined;
}

export function decide(node: Node, standing: Standing, facts: Facts, send: SendRules, now: Date): Decision {
  switch (node.type) {
    case "end":
      return { kind: "end", as: "completed" };
    case "unsubscribe":
      return { kind: "end", as: "unsubscribed" };
    case "wait":
      return stayUntil(endOfWait(node, standing.arrivedAt, facts), now) ?? go("next", node.next);
    case "wait_for":
      return decideWaitFor(node, standing, facts, now);
    case "branch": {
      const at = node.ways.findIndex((_, index) => facts.matches[index]);
      const way = node.ways[at];
      return way ? go(String(at), way.next) : go("else", node.else);
    }
    case "split":
      return decideSplit(node, facts.share);
    case "email":
      return stayUntil(nextSendTime(now, facts.zone, send) ?? now, now) ?? go("next", node.next);
    default:
      return go("next", node.next);
  }
}

/**
 * Returns when a wait is over. A person without the date, or whose date has passed, waits no longer: they would wait for ever, or the
 * step would be left out for who came late.
 */
function endOfWait(node: WaitNode, from: Date, { zone, date }: Facts): Date {
  const { at, weekdays } = node;
  if (node.until) {
    if (date === null || at === undefined) return from;
    const moment = momentOfDate(date, node.until.offsetDays, at, zone);
    return moment <= from ? from : nextMoment(moment, zone, { at, weekdays });
  }
  if (node.for === undefined) return nextMoment(from, zone, { at, weekdays }, at !== undefined);
  return nextMoment(addSpan(from, spanOf(node.for), zone), zone, { at, weekdays });
}

function decideWaitFor(node: WaitForNode, standing: Standing, facts: Facts, now: Date): Decision {
  if (standing.wokenBy === "event" || facts.matches[0]) return go("then", node.then);
  return (
    stayUntil(addSpan(standing.arrivedAt, spanOf(node.timeout), facts.zone), now) ?? go("else", node.else)
  );
}

function decideSplit(node: SplitNode, share: number): Decision {
  let below = 0;
  const at = node.ways.findIndex(({ tenths }) => {
    below += tenths;
    return share < below;
  });
  const way = node.ways[at];
  if (!way) throw new Error(`the ways of a split end before ${share}`);
  return go(String(at), way.next);
}

/** A date of a person may be far away. Later times couldn't be written as others are, with four digits for the year. */
const LAST = new Date("9999-12-31T00:00:00.000Z");

function stayUntil(until: Date, now: Date): Decision | undefined {
  return until > now ? { kind: "stay", until: until < LAST ? until : LAST } : undefined;
}

function go(way: string, to: string): Decision {
  return { kind: "go", way, to };
}

const MOST_SPANS = 1_000;
const spans = new Map<string, Temporal.Duration>();

/** A graph was read before, so that its spans are good. A span is read once for all who wait for it. */
function spanOf(text: string): Temporal.Duration {
  const known = spans.get(text);
  if (known) return known;
  const span = readDuration(text);
  if ("wrong" in span) throw new Error(`${text} is no span`);
  if (spans.size >= MOST_SPANS) spans.clear();
  spans.set(text, span);
  return span;
}
