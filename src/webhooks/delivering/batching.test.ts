import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRow, EventType } from "../../events/events.ts";
import { createBatching, type Waiting } from "./batching.ts";

function read(types: readonly EventType[], readMs = 0, data: EventRow["data"] = {}): Waiting<number>[] {
  return types.map((type, slot) => ({ event: { type, data } as EventRow, readMs, slot }));
}

const opens = (count: number): EventType[] => Array.from({ length: count }, () => "email.opened");
const batching = (more: { ordered?: boolean; batches?: boolean } = {}) =>
  createBatching<number>({ batches: true, ordered: false, hasAddresses: false, ...more });
const slotsOf = (taken: readonly Waiting<number>[] | undefined) => taken?.map(({ slot }) => slot);

test("without batches every event goes alone, in order", () => {
  const plain = batching({ batches: false });
  plain.add(read(["email.opened", "list.updated"]));
  assert.deepEqual([slotsOf(plain.take(0)), slotsOf(plain.take(0)), plain.take(0)], [[0], [1], undefined]);
});

test("opens wait a second for others, and others don't wait for them", () => {
  const some = batching();
  some.add(read(["email.opened", "list.updated", "email.clicked"]));
  assert.deepEqual(slotsOf(some.take(0)), [1]);
  assert.equal(some.take(999), undefined);
  assert.deepEqual(slotsOf(some.take(1_000)), [0, 2]);
});

test("a batch goes at once when it is full, by its number or by its bytes", () => {
  const many = batching();
  many.add(read(opens(60), 0, { url: "a".repeat(10) }));
  assert.equal(many.take(0), undefined);
  many.add(read(opens(60)));
  const full = many.take(0);
  assert.ok(full && full.length > 60 && full.length <= 100, String(full?.length));
  const long = batching();
  long.add(read(opens(40), 0, { url: "a".repeat(1_000) }));
  const taken = long.take(0);
  assert.ok(taken && taken.length < 20, String(taken?.length));
});

test("where order is asked for, a batch has only what follows one upon another", () => {
  const strict = batching({ ordered: true });
  strict.add(read(["email.opened", "email.clicked", "list.updated", "email.opened"]));
  assert.deepEqual(slotsOf(strict.take(0)), [0, 1]);
  assert.deepEqual(slotsOf(strict.take(0)), [2]);
  assert.equal(strict.take(0), undefined);
  assert.deepEqual(slotsOf(strict.take(1_000)), [3]);
});
