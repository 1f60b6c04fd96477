import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readUnsubscribeForm } from "../public-pages.ts";

describe("what an unsubscribe form sends", () => {
  for (const [sent, read] of [
    ["List-Unsubscribe=One-Click", { scope: "topic", alsoListIds: [], reason: null }],
    ["", { scope: "topic", alsoListIds: [], reason: null }],
    ["scope=all&scope=list", { scope: "all", alsoListIds: [], reason: null }],
    ["scope=list", { scope: "list", alsoListIds: [], reason: null }],
    ["scope=constructor&reason=constructor", { scope: "topic", alsoListIds: [], reason: null }],
    ["also=lst_1&also=lst_2&also=lst_1", { scope: "topic", alsoListIds: ["lst_1", "lst_2"], reason: null }],
    ["reason=too_many&comment=+", { scope: "topic", alsoListIds: [], reason: "Too many mails" }],
    [
      "reason=too_many&comment=three+a+day",
      { scope: "topic", alsoListIds: [], reason: "Too many mails: three a day" },
    ],
    ["reason=other&comment=a%0D%0Ab%E2%80%AEc%00", { scope: "topic", alsoListIds: [], reason: "a b c" }],
  ] as const) {
    test(`"${sent}" is read, and nothing is refused`, () =>
      assert.deepEqual(readUnsubscribeForm(new URLSearchParams(sent)), read));
  }

  test("words and lists are bounded, between whole characters", () => {
    const sent = new URLSearchParams({ comment: `a${"😀".repeat(400)}` });
    for (let at = 0; at < 1_000; at++) sent.append("also", `lst_${at}`);
    const { reason, alsoListIds } = readUnsubscribeForm(sent);
    assert.equal(alsoListIds.length, 100);
    assert.ok(reason && reason.length <= 500 && reason.isWellFormed() && !reason.includes("\uFFFD"));
  });
});
