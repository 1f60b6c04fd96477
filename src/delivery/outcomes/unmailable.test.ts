import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Outcome } from "../transports/transport.ts";
import { isUnmailable } from "./unmailable.ts";

const rejected = (enhanced: string | null, code: number | null = null): Outcome => ({
  kind: "rejected",
  phase: "mail",
  code,
  enhanced,
  text: "no",
});

const table: [what: string, outcome: Outcome, to: string, expected: boolean][] = [
  ["a local part beyond ASCII without SMTPUTF8", rejected("5.6.7"), "jörg@example.com", true],
  ["a sender's beyond ASCII without SMTPUTF8", rejected("5.6.7"), "ada@example.com", false],
  ["a domain beyond ASCII alone", rejected("5.6.7"), "ada@bücher.example", false],
  ["an address that is none", rejected("5.6.0"), "ada lovelace@example.com", true],
  ["an address with a line end", rejected("5.6.0"), "ada@example.com\r\nDATA", true],
  ["a body that can't be sent", rejected("5.6.0"), "ada@example.com", false],
  ["a message that is too large", rejected("5.3.4"), "jörg@example.com", false],
  ["a server that was asked and says so itself", rejected("5.6.7", 550), "jörg@example.com", false],
  ["an acceptance", { kind: "accepted", code: 250, text: "ok" }, "jörg@example.com", false],
];

describe("an address that can't be mailed by this transport", () => {
  for (const [what, outcome, to, expected] of table)
    it(`is ${expected ? "" : "not "}seen in ${what}`, () =>
      assert.equal(isUnmailable(outcome, to), expected));
});
