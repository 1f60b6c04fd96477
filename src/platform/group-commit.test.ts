import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGroupCommit } from "./group-commit.ts";

describe("grouping", () => {
  test("what comes while a group is written goes into the next, and everybody gets their own answer", async () => {
    const groups: number[] = [];
    const first = Promise.withResolvers<void>();
    const grouping = createGroupCommit<number, string>(
      async (items) => {
        groups.push(items.length);
        if (groups.length === 1) await first.promise;
        return items.map((item) => `answer ${item}`);
      },
      { most: 10 },
    );
    const early = [1, 2].map((item) => grouping.add(item));
    await new Promise(setImmediate);
    const late = [3, 4, 5].map((item) => grouping.add(item));
    first.resolve();
    assert.deepEqual(
      await Promise.all([...early, ...late]),
      [1, 2, 3, 4, 5].map((item) => `answer ${item}`),
    );
    assert.deepEqual(groups, [2, 3]);
  });

  test("no group is larger than the most", async () => {
    const groups: number[] = [];
    const grouping = createGroupCommit<number, void>(
      async (items) => {
        groups.push(items.length);
        return items.map(() => undefined);
      },
      { most: 4 },
    );
    await Promise.all(Array.from({ length: 10 }, (_, item) => grouping.add(item)));
    assert.deepEqual(groups, [4, 4, 2]);
  });

  test("a failed group fails its own alone", async () => {
    let calls = 0;
    const grouping = createGroupCommit<number, number>(
      async (items) => {
        calls++;
        if (calls === 1) throw new Error("no");
        return items;
      },
      { most: 1 },
    );
    const [bad, good] = await Promise.allSettled([grouping.add(1), grouping.add(2)]);
    assert.equal(bad?.status, "rejected");
    assert.deepEqual(good, { status: "fulfilled", value: 2 });
  });
});
