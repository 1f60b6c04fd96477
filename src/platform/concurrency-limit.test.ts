import assert from "node:assert/strict";
import { test } from "node:test";
import { createConcurrencyLimit } from "./concurrency-limit.ts";

const refuse = () => new Error("busy");

test("no more run at once than may, and the rest in the order in which they came", async () => {
  const limited = createConcurrencyLimit({ atOnce: 2, mostWaiting: 10, refuse });
  const order: number[] = [];
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      limited(async () => {
        order.push(n);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      }),
    ),
  );
  assert.deepEqual([most, order], [2, [0, 1, 2, 3, 4, 5, 6, 7]]);
});

test("whoever finds the queue full is refused, and a failure frees its place", async () => {
  const limited = createConcurrencyLimit({ atOnce: 1, mostWaiting: 1, refuse });
  const work = () => new Promise<void>((_, reject) => setImmediate(() => reject(new Error("failed"))));
  const reasons = (await Promise.allSettled([limited(work), limited(work), limited(work)])).map(
    (one) => one.status === "rejected" && one.reason.message,
  );
  assert.deepEqual(reasons, ["failed", "failed", "busy"]);
  assert.equal(await limited(async () => "free again"), "free again");
});
