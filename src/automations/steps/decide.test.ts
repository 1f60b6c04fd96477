import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { Node, SendRules } from "../graph-types.ts";
import { type Decision, decide, type Facts, rulesOf, type Standing } from "./decide.ts";
import { shareOf } from "./share.ts";

const ANY_TIME: SendRules = { window: undefined, quiet: undefined, weekdays: [] };
const at = (text: string) => new Date(text);
const came = at("2026-11-17T10:00:00Z");
const rule = { field: "tag", op: "has", value: "vip" } as const;

type Given = { facts?: Partial<Facts>; standing?: Partial<Standing>; send?: SendRules; now?: Date };

function decided(node: Node, { facts, standing, send = ANY_TIME, now = came }: Given = {}): Decision {
  const known = { zone: "UTC", matches: [], date: null, share: 0, ...facts };
  return decide(node, { arrivedAt: came, wokenBy: "arrival", ...standing }, known, send, now);
}

const wait = (more: Partial<Extract<Node, { type: "wait" }>>): Node => ({
  type: "wait",
  for: undefined,
  until: undefined,
  at: undefined,
  weekdays: [],
  next: "n",
  ...more,
});
const goes = (way: string, to: string) => ({ kind: "go", way, to });
const stays = (until: string) => ({ kind: "stay", until: at(until) });

describe("a wait", () => {
  test("ends after its span, by the person's calendar", () => {
    assert.deepEqual(decided(wait({ for: "P2D" })), stays("2026-11-19T10:00:00Z"));
    const now = at("2026-11-19T10:00:00Z");
    assert.deepEqual(decided(wait({ for: "P2D" }), { now }), goes("next", "n"));
  });

  test("ends at its hour, and is recomputed where the person has moved to another zone", () => {
    const two = wait({ for: "P2D", at: "09:00" });
    const inNewYork = { facts: { zone: "America/New_York" } };
    assert.deepEqual(decided(two, inNewYork), stays("2026-11-19T14:00:00Z"));
    const now = at("2026-11-19T14:00:00Z");
    assert.deepEqual(decided(two, { ...inNewYork, now }), goes("next", "n"));
    assert.deepEqual(decided(two, { now }), stays("2026-11-20T09:00:00Z"));
  });

  test("for an hour alone is till tomorrow for who comes just then", () => {
    const ten = wait({ at: "10:00" });
    assert.deepEqual(decided(ten), stays("2026-11-18T10:00:00Z"));
    assert.deepEqual(decided(ten, { now: at("2026-11-18T10:00:00Z") }), goes("next", "n"));
  });

  test("until a date that is as far away as can be ends in the year 9999", () => {
    const date = wait({ until: { field: "f", offsetDays: 365 }, at: "23:59" });
    const facts = { date: "9999-12-31", zone: "America/New_York" };
    assert.deepEqual(decided(date, { facts }), stays("9999-12-31T00:00:00Z"));
  });

  test("until a date is none for who has no date, or came after it", () => {
    const date = wait({ until: { field: "f", offsetDays: -3 }, at: "09:00" });
    assert.deepEqual(decided(date, { facts: { date: "2026-12-24" } }), stays("2026-12-21T09:00:00Z"));
    assert.deepEqual(decided(date, { facts: { date: "2026-11-18" } }), goes("next", "n"));
    assert.deepEqual(decided(date, { facts: { date: null } }), goes("next", "n"));
    const now = at("2026-12-21T09:00:00Z");
    assert.deepEqual(decided(date, { facts: { date: "2026-12-24" }, now }), goes("next", "n"));
    assert.deepEqual(decided(date, { facts: { date: "2026-12-30" }, now }), stays("2026-12-27T09:00:00Z"));
  });
});

describe("a wait for something", () => {
  const node: Node = {
    type: "wait_for",
    on: [],
    rule,
    timeout: "P3D",
    // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
    then: "yes",
    else: "no",
  };

  test("goes one way when it happens or the rule holds, and the other when it has waited long enough", () => {
    assert.deepEqual(decided(node), stays("2026-11-20T10:00:00Z"));
    assert.deepEqual(decided(node, { facts: { matches: [true] } }), goes("then", "yes"));
    assert.deepEqual(decided(node, { standing: { wokenBy: "event" } }), goes("then", "yes"));
    const now = at("2026-11-20T10:00:00Z");
    const standing = { wokenBy: "time" } as const;
    assert.deepEqual(decided(node, { standing, now }), goes("else", "no"));
    assert.deepEqual(decided(node, { standing, now, facts: { matches: [true] } }), goes("then", "yes"));
    assert.deepEqual(rulesOf(node), [rule]);
  });
});

describe("a branch", () => {
  const node: Node = {
    type: "branch",
    ways: [
      { if: rule, next: "a" },
      { if: rule, next: "b" },
    ],
    else: "c",
  };

  test("takes the first way whose rule holds", () => {
    assert.deepEqual(decided(node, { facts: { matches: [true, true] } }), goes("0", "a"));
    assert.deepEqual(decided(node, { facts: { matches: [false, true] } }), goes("1", "b"));
    assert.deepEqual(decided(node, { facts: { matches: [false, false] } }), goes("else", "c"));
    assert.equal(rulesOf(node).length, 2);
  });
});

describe("a split", () => {
  const node: Node = {
    type: "split",
    ways: [
      { tenths: 1, next: "a" },
      { tenths: 499, next: "b" },
      { tenths: 500, next: "c" },
    ],
  };

  test("has its bounds where the percents say", () => {
    const way = (share: number) => decided(node, { facts: { share } });
    assert.deepEqual(way(0), goes("0", "a"));
    assert.deepEqual(way(1), goes("1", "b"));
    assert.deepEqual(way(499), goes("1", "b"));
    assert.deepEqual(way(500), goes("2", "c"));
    assert.deepEqual(way(999), goes("2", "c"));
  });

  test("gives a person the same number each time, and people all numbers alike", () => {
    const [automation, people] = [
      newId(systemClock),
      Array.from({ length: 20_000 }, () => newId(systemClock)),
    ];
    const counts = new Map<number, number>();
    for (const one of people) {
      const share = shareOf(automation, "split", one);
      assert.equal(shareOf(automation, "split", one), share);
      counts.set(Math.floor(share / 100), (counts.get(Math.floor(share / 100)) ?? 0) + 1);
    }
    // Of 2,000 in each tenth, a difference of 250 is more than five standard deviations.
    for (const count of counts.values()) assert.ok(Math.abs(count - 2_000) < 250, String(count));
    assert.equal(counts.size, 10);
    const same = people.filter((one) => shareOf(automation, "a", one) === shareOf(automation, "b", one));
    assert.ok(same.length < 80, "two steps must not deal out people alike");
  });
});

describe("a mail", () => {
  const node: Node = { type: "email", message: { subject: "Hello" }, next: "n" };

  test("waits until it may leave, by the person's clock", () => {
    const send = { ...ANY_TIME, window: { from: "09:00", to: "17:00" } };
    assert.deepEqual(decided(node, { send }), goes("next", "n"));
    assert.deepEqual(
      decided(node, { send, facts: { zone: "America/New_York" } }),
      stays("2026-11-17T14:00:00Z"),
    );
    const now = at("2026-11-17T14:00:00Z");
    assert.deepEqual(decided(node, { send, now, facts: { zone: "America/New_York" } }), goes("next", "n"));
  });
});

describe("the last step", () => {
  test("ends a run", () => {
    assert.deepEqual(decided({ type: "end" }), { kind: "end", as: "completed" });
    assert.deepEqual(decided({ type: "unsubscribe" }), { kind: "end", as: "unsubscribed" });
  });
});
