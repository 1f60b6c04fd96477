import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emailKey, isEmail } from "./email.ts";

const good = [
  "jane@example.com",
  " jane@example.com ",
  "jane.doe+tag@mail.example.co.uk",
  "o'brien@example.com",
  "jané@exämple.com",
  `${"a".repeat(64)}@example.com`,
];
const bad = [
  "",
  "jane",
  "@example.com",
  "jane@",
  "jane@example",
  "jane@@example.com",
  "a@b@example.com",
  "jane doe@example.com",
  "jane@example.com\n",
  "jane\u0000@example.com",
  "jane\u202e@example.com",
  "jane@example..com",
  "jane@.example.com",
  "jane@[127.0.0.1]",
  "<jane@example.com>",
  "jane@example.com, joe@example.com",
  `${"a".repeat(65)}@example.com`,
  `${"ä".repeat(33)}@example.com`,
  `jane@${"a.".repeat(130)}com`,
];

describe("an e-mail address", () => {
  for (const text of good) it(`may be ${text.slice(0, 40)}`, () => assert.equal(isEmail(text), true));
  for (const text of bad)
    it(`may not be ${JSON.stringify(text).slice(0, 40)}`, () => assert.equal(isEmail(text), false));

  it("is compared without regard to case and composition", () => {
    assert.equal(emailKey("JAN\u00c9@Example.com"), emailKey("jane\u0301@example.COM"));
  });

  it("takes linear time to refuse, however long", () => {
    const start = performance.now();
    isEmail(`${"a.".repeat(500_000)}@`);
    isEmail(`a@${"a.".repeat(500_000)}`);
    assert.ok(performance.now() - start < 1_000);
  });
});
