import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "./dsn.ts";
import { bounce, report } from "./fixtures/mails.ts";

const person = { from: "Ada <ada@example.org>", subject: "Re: News" };

describe("automatic replies are told apart", () => {
  const signs: readonly [sign: string, headers: string][] = [
    ["RFC 3834", "Auto-Submitted: auto-replied\n"],
    ["RFC 3834 with a comment", "Auto-Submitted: auto-replied (vacation)\n"],
    ["X-Autoreply", "X-Autoreply: yes\n"],
    ["X-Autorespond", "X-Autorespond: News\n"],
    ["Precedence", "Precedence: auto_reply\n"],
  ];
  for (const [sign, headers] of signs) {
    test(`by ${sign}`, () =>
      assert.equal(readReturnedMail(bounce("I am away.", { ...person, headers })).kind, "auto_reply"));
  }

  const subjects = [
    "Automatic reply: News",
    "Auto: Out of Office",
    "Out of the office until Monday",
    "[Autoreply] News",
    "Re: Vacation",
    "Réponse automatique : News",
    "Automatische Antwort: News",
    "Abwesenheitsnotiz: News",
    "Automatisch antwoord: News",
    "Respuesta automática: News",
    "Resposta automática: News",
    "Risposta automatica: News",
    "Autosvar: News",
    "Automaattinen vastaus: News",
    "Automatyczna odpowiedź: News",
    "Automatická odpověď: News",
    "Автоматический ответ: News",
    "Otomatik yanıt: News",
    "自動返信: News",
    "自动回复: News",
    "부재중: News",
    "=?utf-8?B?6Ieq5YuV6L+U5L+hOiBOZXdz?=",
  ];
  for (const subject of subjects) {
    test(`by the subject ${subject}`, () => {
      const mail = bounce("Contact the following address: bob@example.org, mail is not delivered.", {
        ...person,
        subject,
      });
      assert.equal(readReturnedMail(mail).kind, "auto_reply");
    });
  }

  test("even where they come with a null return path and speak of delivery", () => {
    const headers = "Return-Path: <>\nAuto-Submitted: auto-replied\n";
    const mail = bounce("Your mail was not delivered to me: error 550 5.7.1.", { ...person, headers });
    assert.equal(readReturnedMail(mail).kind, "auto_reply");
  });

  test("but what a program sends without being asked is none", () => {
    const mail = bounce("Backup done.", {
      ...person,
      subject: "Backup",
      headers: "Auto-Submitted: auto-generated\n",
    });
    assert.equal(readReturnedMail(mail).kind, "other");
  });
});

describe("a wish to be taken off is heard", () => {
  test("at the address made for it, with its token", () => {
    const mail = bounce("", { ...person, subject: "anything" });
    const read = readReturnedMail(mail, { envelopeTo: "u.Tok-9@in.example", domain: "in.example" });
    assert.deepEqual([read.kind, read.token], ["unsubscribe", "Tok-9"]);
  });

  test("and who asks is told; an address that only looks like one of ours isn't", () => {
    assert.equal(
      readReturnedMail(bounce("", { ...person, subject: "unsubscribe" })).sender,
      "ada@example.org",
    );
    const mail = bounce("Hello", { ...person, headers: "Delivered-To: u.smith@example.org\n" });
    assert.equal(readReturnedMail(mail).kind, "other");
    assert.equal(readReturnedMail(mail, { domain: "in.example" }).kind, "other");
  });

  test("by its subject, or by the first line of an answer", () => {
    for (const subject of ["unsubscribe", "Unsubscribe me please", "RE: unsubscribe"])
      assert.equal(readReturnedMail(bounce("", { ...person, subject })).kind, "unsubscribe");
    assert.equal(readReturnedMail(bounce("Please unsubscribe me.\n\n> News", person)).kind, "unsubscribe");
    assert.equal(readReturnedMail(bounce("How do I unsubscribe my dog?", person)).kind, "other");
  });

  test("but not from a machine that is away", () => {
    const mail = bounce("", {
      ...person,
      headers: "Auto-Submitted: auto-replied\n",
      subject: "Re: unsubscribe",
    });
    assert.equal(readReturnedMail(mail, { envelopeTo: "u.tok@in.example" }).kind, "auto_reply");
  });
});

describe("our token is found", () => {
  const group = "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1";
  const returned = (fields: string) =>
    bounce("Mailbox full", { returned: `${fields}\n\nhello`, headers: "" });

  test("in the envelope recipient before anything else", () => {
    assert.equal(readReturnedMail(report(group), { envelopeTo: "<b.env_1=x@in.example>" }).token, "env_1=x");
  });

  test("in To and Delivered-To, after + or a dot", () => {
    assert.equal(readReturnedMail(report(group)).token, "tok1");
    const mail = bounce("Mailbox full", { headers: "Delivered-To: bounces+T.2@in.example\n" });
    assert.equal(readReturnedMail(mail, { domain: "in.example" }).token, "T.2");
  });

  test("under the prefixes that are ours", () => {
    assert.equal(readReturnedMail(report(group), { returnPrefixes: ["ret"] }).token, null);
    assert.equal(
      readReturnedMail(report(group), { envelopeTo: "ret+a@x.example", returnPrefixes: ["ret"] }).token,
      "a",
    );
  });

  test("in the mail returned: its return path, a header of ours, its Message-ID", () => {
    const domain = "out.example";
    assert.equal(readReturnedMail(returned("Return-Path: <b+rp@out.example>"), { domain }).token, "rp");
    assert.equal(readReturnedMail(report(group), { domain, tokenHeaders: ["X-Delivery"] }).token, "tok2");
    assert.equal(readReturnedMail(returned("Message-ID: <mid-3@out.example>"), { domain }).token, "mid-3");
  });

  test("nowhere else", () => {
    assert.equal(
      readReturnedMail(returned("Message-ID: <mid-3@else.example>"), { domain: "out.example" }).token,
      null,
    );
    const odd = { envelopeTo: "b+../../etc@in.example", domain: "in.example" };
    assert.equal(readReturnedMail(bounce("x"), odd).token, null);
  });
});
