import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SANDBOX_TRANSPORT } from "../delivery/delivery.ts";
import { StartupError } from "../platform/startup-error.ts";
import { oneLine, quoted, writeHtml, writeText } from "./layout.ts";
import { invitation } from "./link-letters.ts";
import { readSystemFrom, senderFor } from "./sender.ts";

const ACME = { name: "Acme", from_name: null, from_email: "hello@acme.example" };
const NOBODY = { name: "Acme", from_name: null, from_email: null };
const SYSTEM = { name: "Mailer", email: "mailer@host.example" };
const own = { transportId: "0190b8a2-0000-7000-8000-000000000001", isInstance: false };
const instance = { ...own, isInstance: true };
const sandbox = { transportId: SANDBOX_TRANSPORT, isInstance: false };

describe("our own mail", () => {
  for (const [what, account, way, system, from] of [
    ["by the account's server is from the account", ACME, own, SYSTEM, "hello@acme.example"],
    ["by it without a sender is from the instance", NOBODY, own, SYSTEM, "mailer@host.example"],
    ["by the instance's server is from the instance", ACME, instance, SYSTEM, "mailer@host.example"],
    ["by it without SYSTEM_FROM is from the account", ACME, instance, undefined, "hello@acme.example"],
    ["of nobody isn't sent", NOBODY, instance, undefined, undefined],
    ["of nobody is in the sandbox all the same", NOBODY, sandbox, undefined, "sender@sandbox.invalid"],
  ] as const) {
    it(what, () => assert.equal(senderFor(account, way, system)?.email, from));
  }

  it("asks whoever is invited to choose a password only where passwords are taken", () => {
    const user = {
      email: "new@example.com",
      role: "writer",
      joined_at: null,
      password_hash: null,
      belongs: false,
      has_identity: false,
      is_operator: false,
    } as const;
    const write = (takesPasswords: boolean) =>
      JSON.stringify(
        invitation({ accountName: "Acme", user, url: "https://x.example/#prl_x", takesPasswords }),
      );
    assert.match(write(true), /Choose a password for new@example\.com/);
    assert.doesNotMatch(write(false), /password/i);
    assert.match(write(false), /Accept by single sign-on/);
  });

  it("has the sender that SYSTEM_FROM says, or the start fails", () => {
    assert.equal(readSystemFrom(undefined), undefined);
    assert.deepEqual(readSystemFrom("Mailer <mailer@host.example>"), SYSTEM);
    assert.deepEqual(readSystemFrom('"Mailer" <mailer@host.example>'), SYSTEM);
    assert.deepEqual(readSystemFrom("mailer@host.example"), { name: null, email: "mailer@host.example" });
    for (const bad of ["mailer", "mailer@host", "a <b@[127.0.0.1]>", "<>"])
      assert.throws(() => readSystemFrom(bad), StartupError, bad);
  });

  it("shows what people wrote on one line, in its own direction, and as no link", () => {
    assert.equal(oneLine(" a\r\nBcc: x\u0000\u2028b\t c "), "a Bcc: x b c");
    assert.equal(oneLine("\u202Egpj.exe\u2066"), "gpj.\u200cexe");
    assert.equal(oneLine("https://evil.example"), "https:\u200c//evil.\u200cexample");
    assert.equal(oneLine("St. John & Co."), "St. John & Co.");
    assert.equal([...oneLine("😀".repeat(500))].length, 201);
    assert.equal(quoted("\u202E \n", "an account"), "an account");
  });

  it("says the same as text and as HTML, where nothing that was given is markup", () => {
    const letter = {
      subject: "<script>",
      paragraphs: ['<img src=x> & "quotes"', "{{ 'x' | upcase }}{% if %}"],
      action: { label: "Go <b>", url: 'https://host.example/setup#"><script>' },
      notes: ["<a href=//evil.example>"],
    };
    const html = writeHtml(letter);
    assert.ok(!/<script|<img|<b>|<a href=\/\//.test(html), html);
    assert.ok(html.includes("&lt;img src=x&gt; &amp; &#34;quotes&#34;"));
    assert.ok(html.includes("| upcase }}{% if %}"), html);
    assert.ok(!/<[^>]*\ssrc=|url\(|@import/i.test(html), "it asks for nothing");
    const text = writeText(letter);
    for (const part of [...letter.paragraphs, letter.action.url, ...letter.notes])
      assert.ok(text.includes(part));
  });
});
