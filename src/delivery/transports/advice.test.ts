import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase } from "../../mail/smtp/smtp.ts";
import { adviseOn, STEPS, stepOf } from "./advice.ts";

const cases: readonly [phase: Phase, code: number | null, text: string, advice: RegExp][] = [
  ["connect", null, "the host leads to an internal address (EINTERNAL)", /list it in INTERNAL_HOSTS/],
  ["connect", null, "getaddrinfo ENOTFOUND smpt.example.com", /how its name is spelt/],
  ["connect", null, "getaddrinfo EAI_AGAIN smtp.example.com", /could not be looked up/],
  ["connect", null, "connect ECONNREFUSED 192.0.2.1:588", /Nothing listens on this port/],
  ["connect", null, "connect ENETUNREACH 2001:db8::1:25", /no way to this host/],
  ["connect", null, "the server didn't answer within 15 s", /firewalls between.*port 25/],
  [
    "starttls",
    null,
    "self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)",
    /switch verify_certificate off/,
  ],
  ["tls", null, "unable to verify the first certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE)", /Nobody we know/],
  ["tls", null, "Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID)", /for another name/],
  ["starttls", null, "certificate has expired (CERT_HAS_EXPIRED)", /have it renewed/],
  ["starttls", null, "the server offers no STARTTLS, and TLS is required", /offers no TLS on this port/],
  ["starttls", 454, "TLS not available", /offers TLS and then refuses it/],
  ["tls", null, "wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)", /implicit is for port 465/],
  ["tls", null, "the server closed the connection", /handshake came to nothing/],
  ["greeting", 421, "too many connections", /busy or wants us to come back/],
  ["greeting", null, "the server didn't answer within 15 s", /doesn't greet as an SMTP server/],
  ["greeting", 554, "no service for you", /won't talk to this machine/],
  ["ehlo", 450, "later", /busy or wants us to come back/],
  ["ehlo", 550, "bad name", /check ehlo_name/],
  ["auth", null, "there is no TLS, and a password isn't sent without it", /choose tls required or implicit/],
  ["auth", null, "the server offers no way to sign in that we can use", /asks nobody to sign in/],
  ["auth", null, "it was sealed under another SECRET_KEY", /Enter the password again/],
  ["auth", 534, "application-specific password required", /app password/],
  ["auth", 454, "temporary failure", /can't check the password just now/],
  ["auth", null, "the server closed the connection", /hung up at the sign-in/],
  ["auth", 535, "authentication failed", /refuses user name and password/],
  ["mail", 451, "try later", /grey list/],
  ["dot", 452, "try later", /grey list/],
  ["mail", 530, "authentication required", /wants a sign-in/],
  ["mail", 553, "sender not allowed", /won't send for this sender/],
  ["rcpt", 550, "relaying denied", /won't pass mail on to this recipient/],
  ["dot", 554, "address is not verified", /refuses the message itself/],
  ["body", null, "the server closed the connection", /in the middle of a message/],
  ["dot", null, "the server closed the connection", /in the middle of a message/],
];

test("each way to fail has a sentence of what to do", () => {
  for (const [phase, code, text, advice] of cases)
    assert.match(adviseOn({ phase, code, text }), advice, text);
});

test("whatever a server does, there is one, and it ends", () => {
  const phases: Phase[] = "waiting connect tls greeting ehlo starttls auth mail rcpt data body dot".split(
    " ",
  ) as Phase[];
  for (const phase of phases) {
    for (const code of [null, 211, 354, 421, 450, 500, 530, 535, 550, 599]) {
      assert.match(adviseOn({ phase, code, text: "something else" }), /^[A-Z].+\.$/, `${phase} ${code}`);
    }
    assert.ok(STEPS.includes(stepOf(phase)));
  }
});
