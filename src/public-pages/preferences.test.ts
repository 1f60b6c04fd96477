import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readPreferenceForm } from "./public-pages.ts";

describe("what a preference form sends", () => {
  for (const sent of ["", "List-Unsubscribe=One-Click", "scope=all", "act=all", "act=constructor", "act="]) {
    test(`"${sent}" is an unsubscribe`, () =>
      assert.equal(readPreferenceForm(new URLSearchParams(sent)), undefined));
  }

  const none = { act: "save", shown: new Set(), on: new Set(), pause: "keep", tracking: null };
  for (const [sent, read] of [
    ["act=save", none],
    ["act=delete&pause=30", { ...none, act: "delete", pause: 30 }],
    ["act=save&pause=90", { ...none, pause: 90 }],
    ["act=save&pause=none", { ...none, pause: "none" }],
    ["act=save&pause=91", none],
    ["act=save&pause=1e1", none],
    [
      "act=save&shown=top_1&shown=lst_1&on=lst_1",
      { ...none, shown: new Set(["top_1", "lst_1"]), on: new Set(["lst_1"]) },
    ],
    ["act=save&shown=tracking", { ...none, shown: new Set(["tracking"]), tracking: false }],
    ["act=save&shown=tracking&tracking=yes", { ...none, shown: new Set(["tracking"]), tracking: true }],
    ["act=save&tracking=yes", none],
  ] as const) {
    test(`"${sent}" is read`, () => assert.deepEqual(readPreferenceForm(new URLSearchParams(sent)), read));
  }

  test("choices are bounded", () => {
    const sent = new URLSearchParams({ act: "save" });
    for (let at = 0; at < 2_000; at++) sent.append("on", `top_${at}`);
    assert.equal(readPreferenceForm(sent)?.on.size, 500);
  });
});
