import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type SnsHost, snsBody, startSnsHost, TOPIC } from "../../../../test/support/sns.ts";
import { snsCertificate } from "../../../../test/support/sns-certificate.ts";
import { createGuardedClient, type GuardedClient } from "../../../platform/net/guarded-client.ts";
import { checkSignature, readPublicKey } from "./signatures.ts";
import { checkSns } from "./sns.ts";
import { createSnsCertificates } from "./sns-certificates.ts";
import type { SignatureCheck } from "./timeliness.ts";

const NOW = new Date("2026-05-01T10:00:00Z");
const SECONDS = NOW.getTime() / 1_000;
const HOUR = 3_600;

function brief(check: SignatureCheck | { readonly ok: true }): string {
  return check.ok ? "ok" : (check as Extract<SignatureCheck, { ok: false }>).why;
}

function mailgun(key: string, timestamp: number, token = "t".repeat(50)): { headers: object; body: Buffer } {
  const signature = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
  const body = { signature: { timestamp: String(timestamp), token, signature }, "event-data": {} };
  return { headers: {}, body: Buffer.from(JSON.stringify(body)) };
}

test("Mailgun's signature is believed from the right key, for a day", () => {
  const check = (key: string, seconds: number) =>
    brief(checkSignature("mailgun", "the key", mailgun(key, seconds) as never, NOW));
  assert.equal(check("the key", SECONDS), "ok");
  assert.equal(check("the key", SECONDS - 20 * HOUR), "ok");
  assert.equal(check("the key", SECONDS - 26 * HOUR), "too_old");
  assert.equal(check("the key", SECONDS + HOUR), "too_old");
  assert.equal(check("another key", SECONDS), "bad_signature");
  const unsigned = { headers: {}, body: Buffer.from('{"event-data":{}}') };
  assert.equal(brief(checkSignature("mailgun", "the key", unsigned, NOW)), "unsigned");
  for (const text of ["", "[]", "null", '{"signature":{"timestamp":{},"token":[],"signature":1}}'])
    assert.equal(
      brief(checkSignature("mailgun", "k", { headers: {}, body: Buffer.from(text) }, NOW)),
      "unsigned",
      text,
    );
});

test("SendGrid's signature covers the time and every byte of the body", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const verificationKey = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const body = Buffer.from('[{"event":"bounce"}]\r\n');
  const request = (timestamp: string, signed = body) => ({
    headers: {
      "x-twilio-email-event-webhook-signature": sign(
        "sha256",
        Buffer.concat([Buffer.from(timestamp), signed]),
        privateKey,
      ).toString("base64"),
      "x-twilio-email-event-webhook-timestamp": timestamp,
    },
    body,
  });
  const check = (given: Parameters<typeof checkSignature>[2]) =>
    brief(checkSignature("sendgrid", verificationKey, given, NOW));
  assert.equal(check(request(String(SECONDS))), "ok");
  assert.equal(check(request(String(SECONDS), Buffer.from("other"))), "bad_signature");
  assert.equal(check(request(String(SECONDS - 48 * HOUR))), "too_old");
  const good = request(String(SECONDS));
  assert.equal(
    check({ ...good, headers: { ...good.headers, "x-twilio-email-event-webhook-timestamp": "1" } }),
    "bad_signature",
  );
  assert.equal(
    check({ ...good, headers: { ...good.headers, "x-twilio-email-event-webhook-signature": "AAAA" } }),
    "bad_signature",
  );
  assert.equal(check({ headers: {}, body }), "unsigned");
});

test("only a key on P-256 is one of SendGrid's", () => {
  const other = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey;
  assert.equal(readPublicKey(other.export({ format: "der", type: "spki" }).toString("base64")), undefined);
  assert.equal(readPublicKey("no key"), undefined);
  const fit = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey;
  assert.ok(readPublicKey(fit.export({ format: "pem", type: "spki" }).toString()));
});

test("a secret that was agreed on is shown by basic authentication, as a bearer token or in a header", () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  const cases: [string | null, Record<string, string>, string][] = [
    [null, {}, "ok"],
    ["user:pass", basic("user:pass"), "ok"],
    ["user:pass", basic("user:other"), "bad_signature"],
    ["user:pass", {}, "unsigned"],
    ["a token", { "x-webhook-token": "a token" }, "ok"],
    ["token", { authorization: "Bearer token" }, "ok"],
    ["token", { authorization: "bearer token" }, "ok"],
    ["token", { authorization: "Bearer tokens" }, "bad_signature"],
    ["token", { "x-webhook-token": "other" }, "bad_signature"],
  ];
  for (const provider of ["postmark", "brevo", "sparkpost"] as const)
    for (const [secret, headers, expected] of cases)
      assert.equal(
        brief(checkSignature(provider, secret, { headers, body: Buffer.alloc(0) }, NOW)),
        expected,
      );
});

async function startSns(t: TestContext) {
  const host = await startSnsHost();
  t.after(() => host.close());
  const client = createGuardedClient({
    internalHosts: ["127.0.0.1"],
    authorities: [snsCertificate],
    resolve: (_name, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  const certificates = createSnsCertificates(client);
  const check = async (body: Buffer, now = new Date()) => brief(await checkSns(certificates, body, now));
  return { host, client, check };
}

test("both versions of SNS's signature are believed, and the certificate is fetched once", async (t) => {
  const { host, check } = await startSns(t);
  const bodies = [
    snsBody(host, "Notification"),
    snsBody(host, "Notification", { version: "2" }),
    snsBody(host, "Notification", { changes: { Subject: "Amazon SES" } }),
    snsBody(host, "SubscriptionConfirmation", { version: "2" }),
  ];
  assert.deepEqual(await Promise.all(bodies.map((body) => check(body))), ["ok", "ok", "ok", "ok"]);
  assert.equal(host.asked.length, 1);
});

test("what isn't as SNS signed it is refused", async (t) => {
  const { host, check } = await startSns(t);
  const forged = (field: string, value: string) =>
    snsBody(host, "Notification", { forged: { [field]: value } });
  const cases: [string, Buffer][] = [
    ["bad_signature", forged("Message", "{}")],
    ["bad_signature", forged("Subject", "added")],
    ["bad_signature", forged("TopicArn", TOPIC.replace("bounces", "other"))],
    ["bad_signature", forged("Signature", "AAAA")],
    ["bad_signature", forged("SignatureVersion", "2")],
    ["unsigned", forged("SignatureVersion", "3")],
    ["unsigned", forged("Type", "Other")],
    ["unsigned", forged("TopicArn", "none")],
    ["unsigned", Buffer.from('{"notificationType":"Bounce"}')],
    ["unsigned", Buffer.from("nothing")],
    ["too_old", snsBody(host, "Notification", { changes: { Timestamp: "2020-01-01T00:00:00.000Z" } })],
    ["too_old", snsBody(host, "Notification", { changes: { Timestamp: "never" } })],
  ];
  for (const [expected, body] of cases)
    assert.equal(await check(body), expected, body.toString().slice(0, 200));
});

test("a certificate is fetched from no other host than SNS's of the topic's region", async (t) => {
  const fetched: string[] = [];
  const client: GuardedClient = {
    async fetch(url) {
      fetched.push(url);
      return { kind: "failed", why: "unreachable", code: "none" };
    },
  };
  const { host } = await startSns(t);
  const certificates = createSnsCertificates(client);
  const urls = [
    "https://example.org/SimpleNotificationService.pem",
    "https://sns.us-east-1.amazonaws.com.example.org/a.pem",
    "https://example.org/sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.com@example.org/a.pem",
    "https://example.org#.sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.comx/a.pem",
    "https://s3.us-east-1.amazonaws.com/a.pem",
    "https://attacker.sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com/a.pem",
    "http://sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.com/a.txt",
    "https://127.0.0.1/a.pem",
    "file:///etc/a.pem",
    "",
  ];
  for (const SigningCertURL of urls) {
    const body = snsBody(host as SnsHost, "Notification", { changes: { SigningCertURL } });
    assert.equal(brief(await checkSns(certificates, body, new Date())), "bad_certificate", SigningCertURL);
  }
  assert.deepEqual(fetched, []);
});

test("a certificate that can't be had now is no reason to refuse for good, one that is none is", async (t) => {
  const { host } = await startSns(t);
  const answers = {
    certificate_unreachable: [
      { kind: "failed", why: "timeout", code: "whole" },
      { kind: "answered", status: 503, headers: {}, body: Buffer.alloc(0), certificateEndsAt: null },
    ],
    bad_certificate: [
      { kind: "refused", why: "internal" },
      { kind: "answered", status: 302, headers: {}, body: Buffer.alloc(0), certificateEndsAt: null },
      {
        kind: "answered",
        status: 200,
        headers: {},
        body: Buffer.from("no certificate"),
        certificateEndsAt: null,
      },
    ],
  } as const;
  for (const [expected, some] of Object.entries(answers))
    for (const answer of some) {
      const certificates = createSnsCertificates({ fetch: async () => answer });
      assert.equal(brief(await checkSns(certificates, snsBody(host, "Notification"), new Date())), expected);
    }
});
