import assert from "node:assert/strict";
import { test } from "node:test";
import { addTo, mayMove, moved, putFirst } from "./order-moves.ts";

test("a server moves by one place, and not beyond the ends", () => {
  assert.deepEqual(moved(["a", "b", "c"], 2, -1), ["a", "c", "b"]);
  assert.deepEqual(moved(["a", "b", "c"], 0, 1), ["b", "a", "c"]);
  assert.deepEqual(moved(["a", "b"], 0, -1), ["a", "b"]);
  assert.deepEqual(moved(["a", "b"], 1, 1), ["a", "b"]);
  assert.equal(mayMove([], 0, 1), false);
});

test("the instance's server stays the last, whatever is moved or added", () => {
  const order = ["a", "b", "instance"];
  assert.equal(mayMove(order, 2, -1), false);
  assert.equal(mayMove(order, 1, 1), false);
  assert.deepEqual(addTo(order, "c"), ["a", "b", "c", "instance"]);
  assert.deepEqual(addTo(["a"], "instance"), ["a", "instance"]);
  assert.deepEqual(putFirst(order, "b"), ["b", "a", "instance"]);
  assert.deepEqual(putFirst([], "b"), ["b"]);
});
