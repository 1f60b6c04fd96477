import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { roundRobin, urgentFirst } from "./round-robin.ts";

const of = (accountId: string, ...ids: string[]) =>
  ids.map((id) => ({ account_id: accountId, source_id: id, transport_id: "t" }));
const names = (order: ReturnType<typeof roundRobin>) =>
  order.map((one) => `${one.account_id}${one.source_id}`);

describe("round robin", () => {
  const runnable = [...of("a", "1", "2", "3"), ...of("b", "4"), ...of("c", "5", "6")];

  test("every account has a turn before any has its second", () => {
    assert.deepEqual(names(roundRobin(runnable, new Map(), "")), ["a1", "b4", "c5", "a2", "c6", "a3"]);
  });

  test("the account behind the last one is first, and the circle closes", () => {
    assert.deepEqual(names(roundRobin(runnable, new Map(), "b")).slice(0, 3), ["c5", "a1", "b4"]);
    assert.deepEqual(names(roundRobin(runnable, new Map(), "c")).slice(0, 3), ["a1", "b4", "c5"]);
  });

  test("an account's own sources take turns too", () => {
    assert.deepEqual(names(roundRobin(runnable, new Map([["a", "1"]]), "")).slice(0, 1), ["a2"]);
    assert.deepEqual(names(roundRobin(runnable, new Map([["a", "3"]]), "")).slice(0, 1), ["a1"]);
  });

  test("one who has ended leaves the order of the others as it was", () => {
    assert.deepEqual(names(roundRobin(of("a", "1", "3"), new Map([["a", "2"]]), "a")), ["a3", "a1"]);
  });

  test("transactional mail comes before all other, and both keep their order", () => {
    const streams = ["campaign", "transactional", "automation", "transactional"] as const;
    const mixed = streams.map((stream, n) => ({ stream, n }));
    assert.deepEqual(
      urgentFirst(mixed).map(({ n }) => n),
      [1, 3, 0, 2],
    );
  });

  test("nobody has a turn when nothing runs", () => {
    assert.deepEqual(roundRobin([], new Map(), ""), []);
  });
});
