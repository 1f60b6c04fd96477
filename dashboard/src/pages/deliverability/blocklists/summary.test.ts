import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryOf } from "./summary.ts";

const of = (...statuses: readonly ("listed" | "clear" | "unknown")[]) =>
  summaryOf(statuses.map((status) => ({ status })));

test("an address is clear only where every list says so", () => {
  assert.deepEqual(of("clear", "clear"), { state: "clear", count: 2 });
  assert.deepEqual(of("clear", "unknown", "clear"), { state: "partly", count: 2 });
  assert.deepEqual(of("unknown", "unknown"), { state: "unknown", count: 0 });
  assert.deepEqual(of(), { state: "unknown", count: 0 });
});

test("one list that has it is enough, whatever the others say", () => {
  assert.deepEqual(of("clear", "listed", "unknown"), { state: "listed", count: 1 });
});
