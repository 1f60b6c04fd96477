import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Stream } from "../types.ts";
import type { Limits } from "./room-rules.ts";
import { createUsedUp, type Gone } from "./used-up.ts";

const FROM = Date.UTC(2026, 10, 1);
const limits: Limits = {
  from: new Date(FROM),
  to: new Date(FROM + 30 * 24 * 3_600_000),
  timeZone: "UTC",
  mails: 100,
  transactionalReserve: 0,
  day: { mails: 10, from: new Date(FROM), to: new Date(FROM + 24 * 3_600_000) },
};

const source = (id: string, stream: Stream = "automation", account = "a") => ({
  account_id: account,
  source_id: id,
  stream,
  is_limited: true,
  waits: false,
});

function begin() {
  let [ms, at] = [0, FROM];
  let tell: (payload: string) => void = () => undefined;
  let wakes = 0;
  const usedUp = createUsedUp(
    {
      clock: { now: () => new Date(at), monotonicMs: () => ms },
      listener: {
        listen(_channel, onHint) {
          tell = onHint;
        },
      },
    },
    () => void wakes++,
  );
  return {
    usedUp,
    pass(passed: number) {
      ms += passed;
    },
    moveTo(to: Date) {
      at = to.getTime();
    },
    tell: (payload: string) => tell(payload),
    wakes: () => wakes,
    remember: (id: string, of: Gone = "period", stream: Stream = "automation") =>
      usedUp.remember(source(id, stream), { usedUp: of, limits }, usedUp.version()),
  };
}

describe("an account whose mails are used up", () => {
  test("is left aside for some seconds with all of its sources, but not its other stream nor others", () => {
    const { usedUp, pass, remember } = begin();
    remember("1");
    assert.equal(usedUp.waits(source("1")), true);
    assert.equal(usedUp.waits(source("2")), true);
    assert.equal(usedUp.waits(source("3", "transactional")), false);
    assert.equal(usedUp.waits(source("4", "automation", "b")), false);
    assert.equal(usedUp.waits({ ...source("5"), is_limited: false }), false);
    pass(5_000);
    assert.equal(usedUp.waits(source("1")), false);
  });

  test("has its campaigns looked at, which are paused then, unless only the day is used up", () => {
    const { usedUp, remember } = begin();
    remember("1");
    assert.equal(usedUp.waits(source("2", "campaign")), false);
    remember("1", "day");
    assert.equal(usedUp.waits(source("2", "campaign")), true);
  });

  test("is left aside for a second with its campaigns while somebody has mails under way", () => {
    const { usedUp, pass, remember } = begin();
    remember("1", "soon");
    assert.equal(usedUp.waits(source("2")), true);
    assert.equal(usedUp.waits(source("3", "campaign")), true);
    pass(1_000);
    assert.equal(usedUp.waits(source("2")), false);
    const all = [source("1"), source("2"), source("3", "campaign")];
    assert.deepEqual(
      usedUp.oneOfEach(all).map((one) => one.source_id),
      ["2"],
    );
  });

  test("is looked at again at once when the day or the period is over, or something has changed", () => {
    const { usedUp, remember, moveTo, tell, wakes } = begin();
    remember("1", "day");
    moveTo(new Date(FROM + 24 * 3_600_000));
    assert.equal(usedUp.waits(source("1")), false);
    remember("1");
    assert.equal(usedUp.waits(source("1")), true);
    tell("b");
    assert.equal(usedUp.waits(source("1")), true);
    tell("a");
    assert.equal(usedUp.waits(source("1")), false);
    remember("1");
    tell("");
    assert.deepEqual([usedUp.waits(source("1")), wakes()], [false, 3]);
  });

  test("isn't remembered by a look that began before a change", () => {
    const { usedUp, tell } = begin();
    const version = usedUp.version();
    tell("a");
    usedUp.remember(source("1"), { usedUp: "period", limits }, version);
    assert.equal(usedUp.waits(source("1")), false);
  });

  test("is then looked at by one source for all, each in its turn", () => {
    const { usedUp, pass, remember } = begin();
    const all = [source("1"), source("2"), source("3"), source("9", "automation", "b")];
    const looked: string[] = [];
    remember("1");
    for (let round = 0; round < 4; round++) {
      pass(5_000);
      const [first, ...others] = usedUp.oneOfEach(all).map((one) => one.source_id);
      assert.deepEqual(others, ["9"]);
      looked.push(String(first));
      remember(String(first));
    }
    assert.deepEqual(looked, ["2", "3", "1", "2"]);
    pass(5_000);
    // One that waits for its transport says nothing about the account.
    const waiting = all.map((one) => ({ ...one, waits: one.source_id === "3" }));
    assert.deepEqual(
      usedUp.oneOfEach(waiting).map((one) => one.source_id),
      ["1", "3", "9"],
    );
    usedUp.forget(source("1"));
    assert.equal(usedUp.oneOfEach(all).length, 4);
  });
});
