import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type DomainFacts,
  type HeldConnections,
  isPause,
  isQuick,
  isSlow,
  kindOf,
  sharesOf,
  trustAfter,
} from "./domain-share.ts";

const usual: DomainFacts = {
  connections: 20,
  takesMs: 2,
  othersTakeMs: 2,
  asksForLess: false,
  ended: 100,
  quickInARow: 0,
  doOthersWait: true,
  aloneForMs: 0,
  isUntried: false,
  noQuickForMs: 99_999,
  held: { untried: 0, stuck: 0, slower: 0, slow: 0 },
  trust: 20,
};
const held = (some: Partial<HeldConnections>): { held: HeldConnections } => ({
  held: { ...usual.held, ...some },
});

describe("how many connections a domain may have", () => {
  const left = { doOthersWait: false };
  const alone = { ...left, aloneForMs: 300 };
  const tarpit = { takesMs: 9_000 };
  const slower = { takesMs: 200 };
  const untried = { isUntried: true, ended: 0, takesMs: 0 };
  const quickCame = { noQuickForMs: 240 };
  const table: [what: string, facts: Partial<DomainFacts>, sure: number, idle: number][] = [
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
      { ...left, ...tarpit, aloneForMs: 99_999, ...held({ slow: 9 }) },
      6,
      0,
    ],
    ["slow, where other slow ones have three quarters", { ...tarpit, ...held({ slow: 15 }) }, 0, 0],
    ["it asked for less", { asksForLess: true, quickInARow: 300 }, 1, 0],
    ["as slow as all others", { ...tarpit, othersTakeMs: 9_000, quickInARow: 4 }, 5, 9],
    [
      "as slow as all others, for long alone: the reserve stays",
      { ...left, ...tarpit, othersTakeMs: 9_000, aloneForMs: 99_999 },
      15,
      15,
    ],
    ["slow, and quick ones came", { ...tarpit, ...quickCame, ...held({ slow: 2, stuck: 2 }) }, 1, 0],
    [
      "slow, quick ones came, and a quarter is gone",
      { ...tarpit, ...quickCame, ...held({ slow: 2, stuck: 3 }) },
      0,
      0,
    ],
    ["slow, and quick ones came long ago", { ...tarpit, noQuickForMs: 9_001, ...held({ slow: 5 }) }, 1, 0],
    ["slower, and quick ones came", { ...slower, ...quickCame, ...held({ slower: 7 }) }, 3, 3],
    [
      "slower, quick ones came, and half is gone",
      { ...slower, ...quickCame, ...held({ slower: 6, slow: 4 }) },
      0,
      0,
    ],
    ["slower, and quick ones don't come", { ...slower, ...held({ slower: 12 }) }, 5, 5],
    ["quick, whatever the others have", { ...quickCame, ...held({ slower: 10, slow: 5 }) }, 5, 5],
    ["untried, as all are", { ...untried, ...held({ untried: 19 }) }, 1, 1],
    ["untried, and trusted with less", { ...untried, trust: 5, ...held({ untried: 3, stuck: 1 }) }, 1, 1],
    [
      "untried, and trusted with no more",
      { ...untried, trust: 5.9, ...held({ untried: 3, stuck: 2 }) },
      0,
      0,
    ],
    [
      "untried: slow ones that are known don't stand in its way",
      { ...untried, trust: 5, ...held({ slower: 10 }) },
      1,
      1,
    ],
    [
      "untried, and never the last quarter beside slow ones",
      { ...untried, ...held({ untried: 5, slower: 10 }) },
      0,
      0,
    ],
    [
      "untried and suspect, quick ones came, and slow ones have a quarter",
      { ...untried, ...quickCame, trust: 5, ...held({ slow: 5 }) },
      1,
      1,
    ],
    [
      "untried and suspect, quick ones came, and one is being tried",
      { ...untried, ...quickCame, trust: 5, ...held({ slow: 4, untried: 1 }) },
      0,
      0,
    ],
    [
      "untried and suspect, quick ones came, and half is gone",
      { ...untried, ...quickCame, trust: 5, ...held({ slower: 9, stuck: 1 }) },
      0,
      0,
    ],
    [
      "untried, and those before were quick",
      { ...untried, ...quickCame, trust: 12, ...held({ slower: 9, stuck: 1 }) },
      1,
      1,
    ],
    [
      "slow, quick ones came, and suspects have a quarter",
      { ...tarpit, ...quickCame, trust: 5, ...held({ untried: 5 }) },
      0,
      0,
    ],
    [
      "slower, quick ones came, and suspects have some",
      { ...slower, ...quickCame, trust: 5, ...held({ slower: 3, untried: 4 }) },
      3,
      3,
    ],
    [
      "slower, quick ones came, and those nobody knows are quick",
      { ...slower, ...quickCame, ...held({ slower: 3, untried: 9 }) },
      5,
      5,
    ],
    [
      "untried, where a domain that was quick has all but the reserve",
      { ...untried, ...held({ slow: 15 }) },
      1,
      1,
    ],
    [
      "untried, where another is being tried beside such a one",
      { ...untried, ...held({ slow: 15, untried: 1 }) },
      0,
      0,
    ],
    ["one connection, and untried", { ...untried, connections: 1, trust: 1 }, 1, 1],
    ["one connection, and slower", { ...slower, ...quickCame, connections: 1 }, 1, 1],
    ["one connection", { connections: 1 }, 1, 1],
    ["one connection, and slow", { ...tarpit, connections: 1 }, 1, 0],
    ["two connections, slow and alone", { ...left, ...tarpit, connections: 2, aloneForMs: 99_999 }, 1, 0],
    ["three connections, and quick", { ...left, connections: 3, quickInARow: 9 }, 3, 3],
  ];
  for (const [what, facts, sure, idle] of table) {
    test(what, () => {
      const shares = sharesOf({ ...usual, ...facts });
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

test("a domain is known by what has ended and by the age of what is under way", () => {
  const table: [averageMs: number, takesMs: number, isUntried: boolean, kind: string][] = [
    [0, 0, true, "untried"],
    [0, 250, true, "untried"],
    [0, 251, true, "stuck"],
    [40, 40, false, "quick"],
    [40, 250, false, "quick"],
    [40, 251, false, "slower"],
    [161, 161, false, "slower"],
    [40, 1_001, false, "slow"],
    [900, 900, false, "slower"],
    [9_000, 9_000, false, "slow"],
  ];
  for (const [averageMs, takesMs, isUntried, kind] of table) {
    const facts = { averageMs, takesMs, isUntried, othersTakeMs: 40, asksForLess: false };
    assert.equal(kindOf(facts), kind, `${averageMs}, ${takesMs}, ${isUntried}`);
  }
});

test("those nobody knows are trusted with more and less by what became of those before them", () => {
  const table: [what: "quick" | "old" | "pause", trust: number, then: number][] = [
    ["quick", 5, 6],
    ["quick", 20, 20],
    ["old", 20, 10],
    ["old", 6, 5],
    ["pause", 20, 5],
  ];
  for (const [what, trust, then] of table)
    assert.equal(trustAfter(what, { trust, connections: 20 }), then, `${what}, ${trust}`);
  assert.deepEqual(
    [isPause(1_000, 40), isPause(1_001, 40), isPause(7_999, 2_000), isPause(8_001, 2_000)],
    [false, true, false, true],
  );
});
