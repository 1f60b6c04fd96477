import assert from "node:assert/strict";
import { test } from "node:test";
import { groupTexts } from "./text-groups.ts";

const words = {
  object: "page_words",
  locale: "en",
  direction: "ltr",
  texts: { "ask.button": "Stop these letters" },
  standard: {
    noSubject: "No subject",
    "ask.button": "Unsubscribe",
    "form.title": "Sign up",
    "new.page": "New",
  },
} as const;
const found = (typed: string, isOwnOnly = false) =>
  groupTexts(words, { typed, isOwnOnly }).map(({ group, texts }) => [group, ...texts.map(({ key }) => key)]);

test("every text stands in the group of its page, and what has none is general", () => {
  assert.deepEqual(found(""), [
    ["form", "form.title"],
    ["ask", "ask.button"],
    ["general", "noSubject", "new.page"],
  ]);
});

test("a text is found by its key, by the standard text and by the account's own", () => {
  for (const typed of ["ask.BUTTON", "unsubscribe", " these letters "])
    assert.deepEqual(found(typed), [["ask", "ask.button"]], typed);
  assert.deepEqual(found("nowhere"), []);
});

test("those that are the account's own can be shown alone", () => {
  assert.deepEqual(found("", true), [["ask", "ask.button"]]);
  assert.deepEqual(found("sign up", true), []);
});
