import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageMemory } from "./message-memory.ts";

test("whoever composes waits until enough was sent, and a shared message counts once", async () => {
  const memory = createMessageMemory(10);
  const [small, large] = [Buffer.alloc(4), Buffer.alloc(8)];
  const first = memory.hold(small);
  const second = memory.hold(small);
  await memory.untilRoom();
  const letGoOfLarge = memory.hold(large);
  let hasRoom = false;
  const waiting = memory.untilRoom().then(() => {
    hasRoom = true;
  });
  first();
  await new Promise(setImmediate);
  assert.equal(hasRoom, false, "the other holder of the small one still needs it");
  letGoOfLarge();
  await waiting;
  second();
});

test("all together have a limit too", async () => {
  const whole = createMessageMemory(10);
  const [one, other] = [createMessageMemory(100, whole), createMessageMemory(100, whole)];
  const letGo = one.hold(Buffer.alloc(12));
  let hasRoom = false;
  const waiting = other.untilRoom().then(() => {
    hasRoom = true;
  });
  await new Promise(setImmediate);
  assert.equal(hasRoom, false);
  letGo();
  await waiting;
});
