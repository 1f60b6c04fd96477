import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportItem, Verdict } from "./schema.ts";
import { scoreItems } from "./score.ts";

const itemsOf = (verdicts: Readonly<Record<string, Verdict>>): ReportItem[] =>
  Object.entries(verdicts).map(([key, status]) => ({ key, status, title: "", evidence: "", remedy: null }));

const CASES: readonly (readonly [
  Readonly<Record<string, Verdict>>,
  score: number,
  keys: readonly string[],
])[] = [
  [{}, 10, []],
  [{ dkim: "pass", spf: "unknown", ptr: "unknown" }, 10, []],
  [{ spf: "fail", dkim: "fail" }, 5.5, ["dkim", "spf"]],
  [{ spf: "warn" }, 9.3, ["spf"]],
  [{ "content.a": "fail", "content.b": "warn" }, 9.3, ["content.a", "content.b"]],
  // Words alone never cost more than two points.
  [
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`content.${n}`, "fail" as const])),
    8,
    ["content.0", "content.1", "content.2", "content.3"],
  ],
  [
    { dkim: "fail", dmarc: "fail", blocklists: "fail", spamassassin: "fail", ptr: "fail" },
    0,
    ["dkim", "blocklists", "spamassassin", "dmarc", "ptr"],
  ],
  // An item of a later version that has no weight here costs nothing.
  [{ novelty: "fail" }, 10, []],
];

for (const [verdicts, score, keys] of CASES)
  test(`${JSON.stringify(verdicts).slice(0, 90)} scores ${score}`, () => {
    const scored = scoreItems(itemsOf(verdicts));
    assert.equal(scored.score, score);
    assert.deepEqual(
      scored.deductions.map(({ key }) => key),
      keys,
    );
    for (const { points, most } of scored.deductions) assert.ok(points > 0 && points <= most);
  });
