import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupsOf, lastDone, placeToRead, windowsAfter } from "./reading-place.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const place = (uid_validity: number | null, last_uid: number, restarted_at: Date | null = null) => ({
  uid_validity,
  last_uid,
  restarted_at,
});
const folder = (uidValidity: number, uidNext: number | null) => ({ uidValidity, uidNext, exists: 10 });
const agoMs = (ms: number) => new Date(NOW.getTime() - ms);

describe("the place to read on at", () => {
  const cases = [
    ["the same numbers", place(7, 10), folder(7, 11), "go_on"],
    ["no next number", place(7, 10), folder(7, null), "go_on"],
    ["the first look", place(null, 0), folder(7, 11), "anew"],
    ["another UIDVALIDITY", place(7, 10), folder(8, 11), "anew"],
    ["a next number that was there already", place(7, 10), folder(7, 5), "anew"],
    ["another UIDVALIDITY an hour later", place(7, 10, agoMs(3_600_000)), folder(8, 11), "anew"],
    ["another UIDVALIDITY a minute later", place(7, 10, agoMs(60_000)), folder(8, 11), "unstable"],
  ] as const;
  for (const [name, was, is, expected] of cases)
    it(`${name}: ${expected}`, () => assert.equal(placeToRead(was, is, NOW), expected));
});

describe("the ranges that are asked for", () => {
  it("begin behind the last mail and end with the next number, but there is always one", () => {
    assert.deepEqual([...windowsAfter(10, 11)], ["11:2010"]);
    assert.deepEqual([...windowsAfter(10, 1)], ["11:2010"]);
    assert.deepEqual([...windowsAfter(0, 5_000)], ["1:2000", "2001:18000"]);
  });

  it("reach the largest number in nine steps, whatever the server says", () => {
    for (const uidNext of [null, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const ranges = [...windowsAfter(0, uidNext)];
      assert.ok(ranges.length <= 9, String(ranges.length));
      assert.equal(ranges.at(-1)?.split(":")[1], String(2 ** 32 - 1));
    }
    assert.deepEqual([...windowsAfter(2 ** 32 - 1, null)], []);
  });
});

it("goes on behind the first mail that isn't done", () => {
  assert.equal(lastDone(3, [4, 6, 9], new Set()), 3);
  assert.equal(lastDone(3, [4, 6, 9], new Set([6])), 3);
  assert.equal(lastDone(3, [4, 6, 9], new Set([4, 9])), 4);
  assert.equal(lastDone(3, [4, 6, 9], new Set([4, 6, 9])), 9);
  assert.equal(lastDone(3, [], new Set()), 3);
});

it("makes groups that are bounded in number and in bytes, also of mails that say nothing true of their size", () => {
  const limits = { most: 3, mostBytes: 100, mostBytesOfOne: 60 };
  const sizes = (list: number[]) =>
    groupsOf(
      list.map((size) => ({ size })),
      limits,
    ).map((group) => group.length);
  assert.deepEqual(sizes([10, 10, 10, 10]), [3, 1]);
  assert.deepEqual(sizes([60, 50, 50]), [1, 2]);
  assert.deepEqual(sizes([1e9, 1e9]), [1, 1]);
  assert.deepEqual(sizes([]), []);
});
