import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPromiseGroup } from "./promise-group.ts";

describe("those under way", () => {
  test("end when the last of them has, and a failure is told only then", async () => {
    const [failing, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const watched = createPromiseGroup();
    watched.add(failing.promise);
    watched.add(slow.promise);
    failing.reject(new Error("the first to fail"));
    let hasEnded = false;
    const ended = watched.untilEnded().finally(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(hasEnded, false);
    slow.reject(new Error("another"));
    await assert.rejects(ended, /the first to fail/);
  });

  test("have ended where there are none", () => createPromiseGroup().untilEnded());
});
