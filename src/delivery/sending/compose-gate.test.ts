import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as untilOthersRan } from "node:timers/promises";
import { createComposeGate } from "./compose-gate.ts";

/** Makes pieces of work that last until they are ended, and records which have begun. */
function createStage() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(name);
      ends.set(name, resolve);
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await untilOthersRan();
  };
  return { begun, work, end };
}

test("one alone waits for those together, and those who come then wait for it", async () => {
  const gate = createComposeGate();
  const { begun, work, end } = createStage();
  const all = [gate.together(work("a")), gate.together(work("b")), gate.alone(work("alone"))];
  all.push(gate.together(work("c")));
  await untilOthersRan();
  assert.deepEqual(begun, ["a", "b"]);
  await end("a");
  assert.deepEqual(begun, ["a", "b"]);
  await end("b");
  assert.deepEqual(begun, ["a", "b", "alone"]);
  await end("alone");
  assert.deepEqual(begun, ["a", "b", "alone", "c"]);
  await end("c");
  await Promise.all(all);
});

test("between two alone, those that wait together have their turn", async () => {
  const gate = createComposeGate();
  const { begun, work, end } = createStage();
  const all = [gate.alone(work("first")), gate.alone(work("second")), gate.together(work("a"))];
  await untilOthersRan();
  await end("first");
  assert.deepEqual(begun, ["first", "a"]);
  await end("a");
  assert.deepEqual(begun, ["first", "a", "second"]);
  await end("second");
  await Promise.all(all);
});

test("work that fails lets the next one in", async () => {
  const gate = createComposeGate();
  const fail = () => Promise.reject(new Error("no"));
  await assert.rejects(gate.alone(fail));
  await assert.rejects(gate.together(fail));
  assert.equal(await gate.alone(async () => 1), 1);
});
