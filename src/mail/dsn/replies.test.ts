import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { providerReplies } from "./fixtures/provider-replies.ts";
import { serverReplies } from "./fixtures/replies.ts";
import { findReason } from "./reasons.ts";
import { findReplyCode, findStatus } from "./replies.ts";
import type { SmtpStage } from "./vocabulary.ts";

type Row = { readonly reason: string; readonly stage: SmtpStage | null; readonly text: string };

function parseRows(table: string): Row[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [reason = "", stage = "", ...rest] = line.split(" | ");
      return { reason, stage: stage === "-" ? null : (stage as SmtpStage), text: rest.join(" | ") };
    });
}

/** A text with a code is a quoted reply; one without is the reporting server's own. */
function judge({ stage, text }: Row): string {
  const replyCode = findReplyCode(text);
  return findReason({
    diagnostic: replyCode === null ? "" : text,
    note: replyCode === null ? text : "",
    context: "",
    status: findStatus(text),
    replyCode,
    stage,
    isLocalProgram: false,
    hosts: "",
    category: "",
    isDelayed: false,
  });
}

for (const [kind, tables] of [
  ["mail servers", serverReplies],
  ["providers and filters", providerReplies],
] as const) {
  describe(`what ${kind} answer is understood`, () => {
    for (const [who, table] of Object.entries(tables)) {
      test(who, () => {
        const rows = parseRows(table);
        assert.deepEqual(
          rows.map((row) => `${judge(row)}: ${row.text}`),
          rows.map(({ reason, text }) => `${reason}: ${text}`),
        );
      });
    }
  });
}
