import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ctx } from "../../platform/context.ts";
import { createRoomFinder, findRefused } from "./quota.ts";

function begin(left: number) {
  const state = { left, ms: 0, looks: 0 };
  const resetsAt = new Date(0);
  const findRoom = createRoomFinder(async () => {
    state.looks += 1;
    return { left: state.left, limit: 5_000, used: 5_000 - state.left, resetsAt };
  });
  const clock = { now: () => resetsAt, monotonicMs: () => state.ms };
  return { state, findRoom, ctx: { accountId: "a", clock } as unknown as Ctx };
}

const mail = (people: number, more = {}) => ({
  recipients: Array.from({ length: people }, () => ({ suppressedFor: null })),
  wave: { isLimited: true },
  sendAt: null,
  own: undefined,
  ...more,
});

describe("the room for mail", () => {
  test("is looked for once a second far from the limit, and each time near it", async () => {
    const { state, findRoom, ctx } = begin(3_000);
    for (let n = 0; n < 100; n++) assert.equal(await findRoom(ctx, 1), undefined);
    assert.equal(state.looks, 1);
    state.ms += 1_000;
    await findRoom(ctx, 1);
    assert.equal(state.looks, 2);
    // What was accepted since counts, so that it looks again in time.
    for (let n = 0; n < 25; n++) await findRoom(ctx, 100);
    assert.ok(state.looks >= 3);
    state.left = 50;
    state.ms += 1_000;
    const before = state.looks;
    for (let n = 0; n < 10; n++) assert.equal(await findRoom(ctx, 50), undefined);
    assert.equal(state.looks, before + 10);
    assert.equal((await findRoom(ctx, 51))?.left, 50);
  });

  test("is taken by mails in their order, and refused to each that doesn't fit", async () => {
    const { state, findRoom, ctx } = begin(3);
    const mails = [mail(2), mail(2), mail(1), mail(1), mail(9, { sendAt: new Date(1) })];
    const refused = await findRefused(ctx, findRoom, mails);
    assert.deepEqual(
      mails.map((one) => refused.has(one)),
      [false, true, false, true, false],
    );
    assert.equal(state.looks, 1);
    assert.equal((await findRefused(ctx, findRoom, [mail(9, { own: {} })])).size, 0);
    assert.equal((await findRefused(ctx, findRoom, [mail(9, { wave: { isLimited: false } })])).size, 0);
    assert.equal(state.looks, 1);
  });
});
