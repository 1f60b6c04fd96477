import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, test } from "node:test";
import type { WorkerEvents } from "graphile-worker";
import { watchForStandstill } from "./standstill.ts";

describe("a queue", () => {
  const started = () => {
    const emitter = new EventEmitter();
    let found = 0;
    const watch = watchForStandstill(emitter as unknown as WorkerEvents, 2, () => found++, {
      longestMs: 30_000,
      lookEveryMs: 5_000,
    });
    return { emitter, watch, found: () => found };
  };

  test("that asks for no jobs though it has room stands still, and that is told once", ({ mock }) => {
    mock.timers.enable({ apis: ["setInterval"] });
    const { found } = started();
    mock.timers.tick(25_000);
    assert.equal(found(), 0);
    mock.timers.tick(60_000);
    assert.equal(found(), 1);
  });

  test("that asks, or has all hands full, goes on", ({ mock }) => {
    mock.timers.enable({ apis: ["setInterval"] });
    const { emitter, found, watch } = started();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      emitter.emit("localQueue:getJobs:complete");
      mock.timers.tick(5_000);
    }
    emitter.emit("job:start");
    emitter.emit("job:start");
    mock.timers.tick(120_000);
    assert.equal(found(), 0);
    emitter.emit("job:complete");
    mock.timers.tick(25_000);
    assert.equal(found(), 0);
    watch.stop();
    mock.timers.tick(60_000);
    assert.equal(found(), 0);
  });
});
