import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isQuick, isSlow, type Standing, sharesOf } from "./domain-share.ts";

const usual: Standing = {
  connections: 20,
  takesMs: 2,
  othersTakeMs: 2,
  asksForLess: false,
  ended: 100,
  quickInARow: 0,
  doOthersWait: true,
  aloneForMs: 0,
  heldByOtherSlow: 0,
};

describe("how many connections a domain may have", () => {
  const left = { doOthersWait: false };
  const alone = { ...left, aloneForMs: 300 };
  const tarpit = { takesMs: 9_000 };
  const slower = { takesMs: 200 };
  const table: [what: string, standing: Partial<Standing>, sure: number, idle: number][] = [
    ["nothing of it has ended, and others wait", { ended: 0 }, 1, 1],
    ["nothing of it has ended, and nobody waits", { ...left, ended: 0 }, 1, 1],
    ["two have ended, one of them quickly", { ended: 2, quickInARow: 1 }, 3, 4],
    ["many have ended, the last of them not quickly", {}, 5, 5],
    ["many have ended, and nobody waits", left, 5, 5],
    ["three were quick: what nobody else can use", { quickInARow: 3 }, 5, 8],
    ["three were quick, and nobody waits", { ...left, quickInARow: 3 }, 8, 8],
    ["hundreds were quick: a quarter stays in reserve", { ...left, quickInARow: 300 }, 15, 15],
    ["nobody else has come for a moment", alone, 15, 15],
    ["nobody else has come for long", { ...left, aloneForMs: 10_001 }, 20, 20],
    ["somebody else waits after all", { aloneForMs: 10_001 }, 5, 5],
    ["only slower, and others wait", { ...slower, quickInARow: 300 }, 5, 5],
    ["only slower, and others came a moment ago", { ...left, ...slower, aloneForMs: 240 }, 5, 5],
    ["only slower, and nobody else has come since", { ...alone, ...slower }, 15, 15],
    ["slow", tarpit, 1, 0],
    ["slow, though it was quick before", { ...left, ...tarpit, quickInARow: 300 }, 1, 0],
    [
      "slow, and nobody has come for less than its messages take",
      { ...left, ...tarpit, aloneForMs: 8_999 },
      1,
      0,
    ],
    [
      "slow, and nobody else is there: never the last quarter",
      { ...left, ...tarpit, aloneForMs: 99_999 },
      15,
      0,
    ],
    [
      "slow beside other slow ones, and nobody else",
      { ...left, ...tarpit, aloneForMs: 99_999, heldByOtherSlow: 9 },
      6,
      0,
    ],
    ["slow, where other slow ones have three quarters", { ...tarpit, heldByOtherSlow: 15 }, 0, 0],
    ["it asked for less", { asksForLess: true, quickInARow: 300 }, 1, 0],
    ["as slow as all others", { ...tarpit, othersTakeMs: 9_000, quickInARow: 4 }, 5, 9],
    [
      "as slow as all others, for long alone: the reserve stays",
      { ...left, ...tarpit, othersTakeMs: 9_000, aloneForMs: 99_999 },
      15,
      15,
    ],
    ["one connection", { connections: 1 }, 1, 1],
    ["one connection, and slow", { ...tarpit, connections: 1 }, 1, 0],
    ["two connections, slow and alone", { ...left, ...tarpit, connections: 2, aloneForMs: 99_999 }, 1, 0],
    ["three connections, and quick", { ...left, connections: 3, quickInARow: 9 }, 3, 3],
  ];
  for (const [what, standing, sure, idle] of table) {
    test(what, () => {
      const shares = sharesOf({ ...usual, ...standing });
      assert.deepEqual({ sure: shares.sure, idle: shares.idle }, { sure, idle });
    });
  }
});

test("slow and quick are by the others, within bounds", () => {
  const table: [takesMs: number, othersTakeMs: number, slow: boolean, quick: boolean][] = [
    [50, 1, false, true],
    [51, 1, false, false],
    [1_000, 1, false, false],
    [1_001, 1, true, false],
    [1_001, 260, false, true],
    [4_000, 1_000, false, true],
    [4_001, 1_000, true, false],
  ];
  for (const [takesMs, othersTakeMs, slow, quick] of table) {
    const times = { takesMs, othersTakeMs, asksForLess: false };
    assert.deepEqual([isSlow(times), isQuick(times)], [slow, quick], `${takesMs} beside ${othersTakeMs}`);
  }
});
