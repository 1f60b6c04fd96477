import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { signMessage } from "../dkim/dkim.ts";
import { composeMessage } from "../mime/mime.ts";
import { addMetadata } from "./metadata.ts";
import { idInReply, PROVIDERS, type Provider, providerOfHost } from "./providers.ts";

const TOKEN = `b${"0az".repeat(20)}kk`;

test("a provider is known by the host of its server", () => {
  const hosts: [string, Provider | undefined][] = [
    ["email-smtp.eu-west-1.amazonaws.com", "ses"],
    ["email-smtp-fips.us-gov-west-1.amazonaws.com", "ses"],
    ["EMAIL-SMTP.us-east-1.amazonaws.com.", "ses"],
    ["smtp.postmarkapp.com", "postmark"],
    ["smtp-broadcasts.postmarkapp.com", "postmark"],
    ["smtp.mailgun.org", "mailgun"],
    ["smtp.eu.mailgun.org", "mailgun"],
    ["smtp.sendgrid.net", "sendgrid"],
    ["smtp-relay.brevo.com", "brevo"],
    ["smtp-relay.sendinblue.com", "brevo"],
    ["smtp.sparkpostmail.com", "sparkpost"],
    ["smtp.eu.sparkpostmail.com", "sparkpost"],
    ["smtp.example.com", undefined],
    ["smtp.sendgrid.net.example.com", undefined],
    ["evil-smtp.sendgrid.net", undefined],
    ["127.0.0.1", undefined],
  ];
  for (const [host, expected] of hosts) assert.equal(providerOfHost(host), expected, host);
});

test("the id that a provider gives a message is found in its reply", () => {
  const replies: [Provider, string, string | null][] = [
    [
      "ses",
      "250 Ok 0100018f2a3b4c5d-11111111-2222-3333-4444-555555555555-000000",
      "0100018f2a3b4c5d-11111111-2222-3333-4444-555555555555-000000",
    ],
    ["sendgrid", "250 Ok: queued as Ff9kC1rATWGuVF-0HNCc8w", "Ff9kC1rATWGuVF-0HNCc8w"],
    [
      "brevo",
      "250 2.0.0 OK: queued as <202605011000.123@smtp-relay.mailin.fr>",
      "202605011000.123@smtp-relay.mailin.fr",
    ],
    ["mailgun", "250 Great success", null],
    ["postmark", "250 2.0.0 Ok: queued as 2FE12B3C4D5E", null],
    ["ses", "250 Ok", null],
    ["sendgrid", "250 Ok", null],
  ];
  for (const [provider, reply, expected] of replies)
    assert.equal(idInReply(provider, reply), expected, reply);
});

function compose(headers: { name: string; kind: "token"; value: string }[] = []): Buffer {
  return composeMessage({
    from: { address: "news@shop.example" },
    subject: "Hello",
    headers,
    text: "Hi\n",
    boundary: "b",
    to: [{ address: "ada@example.org" }],
    date: new Date("2026-05-01T10:00:00Z"),
    messageId: "abc@shop.example",
    values: [],
  });
}

test("each provider gets the token by a header of its own, and none tracks", () => {
  const expected: Record<Provider, string[]> = {
    ses: [`X-SES-MESSAGE-TAGS: return-path=${TOKEN}`],
    postmark: [`X-PM-Metadata-return-path: ${TOKEN}`, "X-PM-TrackOpens: false", "X-PM-TrackLinks: None"],
    mailgun: [`X-Mailgun-Variables: {"return-path":"${TOKEN}"}`, "X-Mailgun-Track: no"],
    sendgrid: [`"unique_args":{"return-path":"${TOKEN}"}`, '"opentrack":{"settings":{"enable":0}}'],
    brevo: [`X-Mailin-custom: return-path:${TOKEN}`],
    sparkpost: [`"metadata":{"return-path":"${TOKEN}"}`, '"open_tracking":false'],
  };
  const message = compose();
  for (const provider of PROVIDERS) {
    const text = addMetadata(provider, TOKEN, message).toString();
    assert.ok(text.endsWith(message.toString()), provider);
    const head = text.slice(0, text.length - message.length);
    for (const part of expected[provider]) assert.ok(head.includes(part), `${provider}: ${part} in ${head}`);
    for (const line of head.trimEnd().split("\r\n")) assert.match(line, /^[A-Za-z-]+: [!-~]{1,900}$/);
  }
});

test("the same message gets the same bytes again", () => {
  for (const provider of PROVIDERS)
    assert.ok(addMetadata(provider, TOKEN, compose()).equals(addMetadata(provider, TOKEN, compose())));
});

test("a field that the author wrote stays the only one of its name", () => {
  const message = compose([{ name: "x-smtpapi", kind: "token", value: '{"category":"mine"}' }]);
  assert.ok(addMetadata("sendgrid", TOKEN, message).equals(message));
});

test("a signature covers none of these fields, so it holds when the provider takes them away", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = [{ domain: "shop.example", selector: "s", privateKey }];
  for (const provider of PROVIDERS) {
    const message = addMetadata(provider, TOKEN, compose());
    const signed = await signMessage(message, keys as never, { now: new Date() });
    assert.ok(signed.ok);
    assert.doesNotMatch(signed.fields.toString(), /x-(?:ses|pm|mailgun|smtpapi|mailin|msys)/i);
  }
});
