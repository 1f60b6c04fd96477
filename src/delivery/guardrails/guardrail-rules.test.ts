import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { guardrailsOf } from "../../accounts/accounts.ts";
import { type GuardrailCounts, judgeCounts, mayMeetByMails } from "./guardrail-rules.ts";

const limits = guardrailsOf({ guardrails: {} });
const none: GuardrailCounts = { sent: 0, failed: 0, hard: 0, complaints: 0 };

describe("the guardrails that counts meet", () => {
  const table: readonly [counts: Partial<GuardrailCounts>, met: readonly string[]][] = [
    [{}, []],
    [{ sent: 190, failed: 9, hard: 9 }, []],
    [{ sent: 190, failed: 10, hard: 10 }, ["hard_bounces"]],
    [{ sent: 191, failed: 10, hard: 10 }, []],
    [{ sent: 0, failed: 200, hard: 9 }, []],
    [{ sent: 95_000, failed: 5_000, hard: 5_000 }, ["hard_bounces"]],
    [{ sent: 95_001, failed: 4_999, hard: 4_999 }, []],
    [{ sent: 999, complaints: 999 }, []],
    [{ sent: 1_000, complaints: 1 }, ["complaints_warning"]],
    [{ sent: 1_001, complaints: 1 }, []],
    [{ sent: 1_000, complaints: 4 }, ["complaints_warning"]],
    [{ sent: 1_000, complaints: 5 }, ["complaints", "complaints_warning"]],
    [{ sent: 10_000, complaints: 29 }, ["complaints_warning"]],
    [{ sent: 10_000, complaints: 30 }, ["complaints", "complaints_warning"]],
    [
      { sent: 10_000, failed: 1_000, hard: 1_000, complaints: 30 },
      ["hard_bounces", "complaints", "complaints_warning"],
    ],
  ];
  for (const [counts, met] of table) {
    it(`${JSON.stringify(counts)} meet ${met.join(", ") || "none"}`, () => {
      assert.deepEqual(
        judgeCounts({ ...none, ...counts }, limits).map(({ name }) => name),
        met,
      );
    });
  }

  it("a detail has the figures and the limit", () => {
    const counts = { sent: 9_350, failed: 650, hard: 612, complaints: 29 };
    assert.deepEqual(
      judgeCounts(counts, limits).map(({ detail }) => detail),
      [
        "612 of 10,000 mails bounced hard (6.12%); the limit is 5%",
        "29 of 9,350 recipients complained (0.31%); the limit is 0.3%",
        "29 of 9,350 recipients complained (0.31%); the limit is 0.3%",
      ],
    );
  });

  it("no number of accepted mails meets one beyond the least numbers", () => {
    assert.ok(mayMeetByMails({ ...none, sent: 999 }, limits));
    for (let sent = 1_000; sent < 3_000; sent += 7) {
      const counts = { sent, failed: 60, hard: 60, complaints: 3 };
      assert.ok(!mayMeetByMails(counts, limits));
      const more = judgeCounts({ ...counts, sent: sent + 1 }, limits).map(({ name }) => name);
      const now = judgeCounts(counts, limits).map(({ name }) => name);
      assert.ok(more.every((name) => now.includes(name)));
    }
  });
});
