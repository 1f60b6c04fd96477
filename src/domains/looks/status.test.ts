import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DomainStatus, KeyState } from "../schema.ts";
import { failingUntil, nextKeyLife, nextLook, nextStanding, type Seen } from "./status.ts";

const NOW = new Date("2026-11-17T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const inMs = (ms: number) => new Date(NOW.getTime() + ms);

describe("the status of a domain after a look", () => {
  type Case = [before: DomainStatus, failingForMs: number | null, proof: Seen, after: DomainStatus];
  const cases: Case[] = [
    ["pending", null, "present", "verified"],
    ["pending", null, "absent", "pending"],
    ["pending", null, "unknown", "pending"],
    ["verified", null, "present", "verified"],
    ["verified", null, "absent", "failing"],
    ["verified", null, "unknown", "verified"],
    ["failing", HOUR_MS, "present", "verified"],
    ["failing", HOUR_MS, "absent", "failing"],
    ["failing", 72 * HOUR_MS - 1, "absent", "failing"],
    ["failing", 72 * HOUR_MS, "absent", "unverified"],
    ["failing", 72 * HOUR_MS, "present", "verified"],
    // While nobody answers, time alone proves nothing.
    ["failing", 1_000 * HOUR_MS, "unknown", "failing"],
    ["unverified", null, "present", "verified"],
    ["unverified", null, "absent", "unverified"],
    ["unverified", null, "unknown", "unverified"],
  ];
  for (const [before, failingForMs, proof, after] of cases)
    it(`is ${after} where it was ${before}${failingForMs === null ? "" : ` for ${failingForMs} ms`} and the key is ${proof}`, () => {
      const failingSince = failingForMs === null ? null : ago(failingForMs);
      const next = nextStanding({ status: before, failingSince }, proof, NOW);
      assert.equal(next.status, after);
      assert.equal(next.isChanged, before !== after);
      const since = after === "failing" ? (before === "failing" ? failingSince : NOW) : null;
      assert.deepEqual(next.failingSince, since);
    });

  it("says until when mail goes on, of a domain that fails alone", () => {
    assert.deepEqual(failingUntil({ status: "failing", failingSince: NOW }), inMs(72 * HOUR_MS));
    assert.equal(failingUntil({ status: "verified", failingSince: null }), null);
  });
});

describe("a key after a look", () => {
  type Case = [
    state: KeyState,
    seenAt: Date | null,
    retiringForMs: number | null,
    seen: Seen,
    after: { state: KeyState; seenAt: Date | null } | null,
  ];
  const before = ago(DAY_MS);
  const cases: Case[] = [
    ["active", null, null, "present", { state: "active", seenAt: NOW }],
    ["active", before, null, "present", { state: "active", seenAt: before }],
    ["active", before, null, "absent", { state: "active", seenAt: null }],
    ["active", before, null, "unknown", { state: "active", seenAt: before }],
    ["active", null, null, "unknown", { state: "active", seenAt: null }],
    ["standby", null, null, "present", { state: "standby", seenAt: NOW }],
    ["standby", before, null, "absent", { state: "standby", seenAt: null }],
    ["retiring", before, 7 * DAY_MS - 1, "present", { state: "retiring", seenAt: before }],
    ["retiring", before, 7 * DAY_MS - 1, "absent", { state: "retiring", seenAt: null }],
    ["retiring", before, 7 * DAY_MS, "present", { state: "retired", seenAt: before }],
    ["retiring", before, 7 * DAY_MS, "unknown", { state: "retired", seenAt: before }],
    ["retiring", before, 7 * DAY_MS, "absent", null],
    ["retired", before, 30 * DAY_MS, "present", { state: "retired", seenAt: before }],
    ["retired", before, 30 * DAY_MS, "unknown", { state: "retired", seenAt: before }],
    ["retired", before, 30 * DAY_MS, "absent", null],
  ];
  for (const [state, seenAt, retiringForMs, seen, after] of cases)
    it(`is ${after ? after.state : "forgotten"} where it was ${state}, ${seenAt ? "seen" : "unseen"}, and its record is ${seen}`, () => {
      const retiringSince = retiringForMs === null ? null : ago(retiringForMs);
      const next = nextKeyLife({ state, seenAt, retiringSince }, seen, NOW);
      assert.deepEqual(next, after && { ...after, retiringSince });
    });
});

describe("the next look", () => {
  const waiting = {
    status: "pending",
    failingSince: null,
    looks: 0,
    isSettled: false,
    watchedUntil: null,
  } as const;

  it("comes after 1, 5, 15 and 60 minutes, then every 6 hours", () => {
    const minutes = [0, 1, 2, 3, 4, 5, 100].map(
      (looks) => (nextLook({ ...waiting, looks }, NOW).at.getTime() - NOW.getTime()) / 60_000,
    );
    assert.deepEqual(minutes, [1, 5, 15, 60, 360, 360, 360]);
    assert.equal(nextLook({ ...waiting, looks: 2 }, NOW).looks, 3);
  });

  it("comes after 5 seconds while somebody watches, and then begins anew with a minute", () => {
    const watched = { ...waiting, looks: 4, watchedUntil: inMs(1) };
    assert.deepEqual(nextLook(watched, NOW), { at: inMs(5_000), looks: 0 });
    assert.deepEqual(nextLook({ ...watched, watchedUntil: NOW }, NOW).at, inMs(6 * HOUR_MS));
  });

  it("comes daily where all stands that was asked for, and sooner where something is missing", () => {
    const verified = { ...waiting, status: "verified", looks: 3 } as const;
    assert.deepEqual(nextLook({ ...verified, isSettled: true }, NOW), { at: inMs(DAY_MS), looks: 0 });
    assert.deepEqual(nextLook(verified, NOW), { at: inMs(HOUR_MS), looks: 4 });
  });

  it("doesn't miss the end of the grace, and goes on as before when nobody answers then", () => {
    const failing = { ...waiting, status: "failing", looks: 9 } as const;
    const soon = { ...failing, failingSince: ago(71 * HOUR_MS) };
    assert.deepEqual(nextLook(soon, NOW).at, inMs(HOUR_MS));
    const over = { ...failing, failingSince: ago(73 * HOUR_MS) };
    assert.deepEqual(nextLook(over, NOW).at, inMs(6 * HOUR_MS));
  });
});
