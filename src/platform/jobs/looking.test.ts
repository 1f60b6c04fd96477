import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../log.ts";
import { startLooking, takeTurns } from "./looking.ts";

const log = createLog({ level: "silent", pretty: false, destination: process.stderr });
const SELDOM = { log, failed: "it could not be looked at", everyMs: () => 60_000 };

describe("looking", () => {
  it("looks once more after a look that was under way when somebody asked", async () => {
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    const looking = startLooking(SELDOM, async () => {
      if (++looks === 1) await gate.promise;
    });
    looking.lookNow();
    looking.lookNow();
    looking.lookNow();
    assert.equal(looks, 1);
    gate.resolve();
    await sleep(5);
    assert.equal(looks, 2);
    await looking.stop();
  });

  it("goes on after a look that failed", async () => {
    let looks = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const looking = startLooking({ ...SELDOM, everyMs: () => 1 }, async () => {
      if (++looks === 3) resolve();
      throw new Error("not now");
    });
    await promise;
    await looking.stop();
  });

  it("waits at its stop for the look that is under way, and looks no more", async () => {
    const gate = Promise.withResolvers<void>();
    let [begun, ended] = [0, 0];
    const looking = startLooking(SELDOM, async (isStopped) => {
      begun++;
      await gate.promise;
      assert.ok(isStopped());
      ended++;
    });
    looking.lookNow();
    looking.lookNow();
    const stopped = looking.stop();
    gate.resolve();
    await stopped;
    looking.lookNow();
    assert.deepEqual([begun, ended], [1, 1]);
  });

  it("takes a piece of each by turns, also of what came meanwhile", async () => {
    const left = new Map([
      ["large", 4],
      ["small", 1],
    ]);
    const taken: string[] = [];
    const hasMore = async (name: string) => {
      if (taken.push(name) === 2) left.set("new", 2);
      const more = (left.get(name) ?? 0) - 1;
      if (more > 0) left.set(name, more);
      else left.delete(name);
      return more > 0;
    };
    const find = async () => [...left.keys()];
    await takeTurns({ find, nameOf: String, hasMore, restMs: 60_000 }, () => false);
    assert.deepEqual(taken, ["large", "small", "large", "new", "large", "new", "large"]);
  });

  it("leaves alone for a while who fails, though others have more", async () => {
    const taken: string[] = [];
    let left = 3;
    const hasMore = async (name: string) => {
      taken.push(name);
      return name === "large" && --left > 0;
    };
    const find = async () => (left > 0 ? ["faulty", "large"] : ["faulty"]);
    await takeTurns({ find, nameOf: String, hasMore, restMs: 60_000 }, () => false);
    assert.deepEqual(taken, ["faulty", "large", "large", "large"]);
  });
});
