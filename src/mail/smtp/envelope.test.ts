import assert from "node:assert/strict";
import { test } from "node:test";
import { readCapabilities } from "./capabilities.ts";
import {
  checkEnvelope,
  type Envelope,
  mailCommand,
  needsOf,
  rcptCommand,
  refuseOnBehalf,
  toXtext,
} from "./envelope.ts";

const all = readCapabilities(["x", "SIZE 1000", "8BITMIME", "SMTPUTF8", "DSN", "PIPELINING"]);
const none = readCapabilities(["x"]);
const plain: Envelope = { from: "a@example.org", to: ["b@example.net"] };

test("MAIL says what the message needs, and only what the server knows", () => {
  const dsn = { ret: "HDRS", envelopeId: "a+b=c d" } as const;
  const cases: readonly [Envelope, typeof all, string][] = [
    [plain, all, "MAIL FROM:<a@example.org>\r\n"],
    [{ ...plain, from: "" }, all, "MAIL FROM:<>\r\n"],
    [{ ...plain, sizeOctets: 7 }, all, "MAIL FROM:<a@example.org> SIZE=7\r\n"],
    [{ ...plain, sizeOctets: 7 }, none, "MAIL FROM:<a@example.org>\r\n"],
    [{ ...plain, is8bit: true }, all, "MAIL FROM:<a@example.org> BODY=8BITMIME\r\n"],
    [{ ...plain, to: ["é@example.net"] }, all, "MAIL FROM:<a@example.org> SMTPUTF8\r\n"],
    [{ ...plain, hasUtf8Header: true }, all, "MAIL FROM:<a@example.org> SMTPUTF8\r\n"],
    [{ ...plain, dsn }, all, "MAIL FROM:<a@example.org> RET=HDRS ENVID=a+2Bb+3Dc+20d\r\n"],
    [{ ...plain, dsn }, none, "MAIL FROM:<a@example.org>\r\n"],
  ];
  for (const [envelope, server, line] of cases) {
    assert.equal(mailCommand(envelope, needsOf(envelope), server), line);
  }
});

test("a known body says for itself what it needs, and whether its header is UTF-8", () => {
  const envelope = { ...plain, sizeOctets: 1, is8bit: false, hasUtf8Header: "if-8bit" } as const;
  const needs = (is8bit: boolean) => needsOf(envelope, { is8bit, sizeOctets: 7 });
  assert.deepEqual(needs(false), { sizeOctets: 7, is8bit: false, isUtf8: false });
  assert.deepEqual(needs(true), { sizeOctets: 7, is8bit: true, isUtf8: true });
  assert.deepEqual(needsOf(envelope), { sizeOctets: 1, is8bit: false, isUtf8: false });
});

test("RCPT carries what is asked of notifications", () => {
  const address = "b@example.net";
  const dsn = { notify: ["SUCCESS", "DELAY"], originalRecipient: "b+c@example.net" } as const;
  assert.equal(rcptCommand(address, all), "RCPT TO:<b@example.net>\r\n");
  assert.equal(
    rcptCommand({ address, dsn }, all),
    "RCPT TO:<b@example.net> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;b+2Bc@example.net\r\n",
  );
  assert.equal(
    rcptCommand({ address, dsn: { notify: "NEVER" } }, all),
    "RCPT TO:<b@example.net> NOTIFY=NEVER\r\n",
  );
  assert.equal(
    rcptCommand({ address, dsn: { originalRecipient: "é@example.net" } }, all),
    "RCPT TO:<b@example.net> ORCPT=utf-8;\\x{E9}@example.net\r\n",
  );
  assert.equal(rcptCommand({ address, dsn }, none), "RCPT TO:<b@example.net>\r\n");
});

test("xtext leaves printable ASCII but + and =", () => {
  assert.equal(toXtext("!~+= \t"), "!~+2B+3D+20+09");
});

test("what the server can't carry is refused before anything is sent", () => {
  const refuse = (envelope: Partial<Envelope>, server = none) =>
    refuseOnBehalf(needsOf({ ...plain, ...envelope }), server)?.enhanced ?? null;
  assert.equal(refuse({}), null);
  assert.equal(refuse({ to: ["é@example.net"] }), "5.6.7");
  // RFC 6531 §3.1, item 8, demands this.
  assert.equal(refuse({ to: ["é@example.net"] }, readCapabilities(["x", "SMTPUTF8"])), "5.6.7");
  assert.equal(refuse({ is8bit: true }), "5.6.3");
  assert.equal(refuse({ sizeOctets: 1_001 }, all), "5.3.4");
  assert.equal(refuse({ sizeOctets: 1_000 }, all), null);
  assert.equal(refuse({ sizeOctets: 1_001 }, readCapabilities(["x", "SIZE"])), null);
  assert.equal(refuse({ sizeOctets: 1_001 }, readCapabilities(["x", "SIZE 0"])), null);
});

test("nothing in an envelope can end a command", () => {
  const addresses = [
    "a@b.c>\r\nRSET",
    "a@b.c\n",
    "a@b.c> SIZE=1",
    "a b@c.d",
    "<a@b.c",
    "a@b\0.c",
    "a",
    "a@",
    "@b",
    "a@b@\u2028c",
  ];
  for (const address of addresses) {
    assert.throws(() => checkEnvelope({ from: address, to: ["x@example.net"] }), TypeError, address);
    assert.throws(() => checkEnvelope({ from: "", to: ["x@example.net", address] }), TypeError, address);
    const to = [{ address: "x@example.net", dsn: { originalRecipient: address } }];
    assert.throws(() => checkEnvelope({ from: "", to }), TypeError, address);
  }
  assert.throws(() => checkEnvelope({ from: "", to: [] }), TypeError);
  assert.throws(() => checkEnvelope({ ...plain, dsn: { envelopeId: "a\r\nb" } }), TypeError);
});

test("both ways to offer AUTH are read, in any case", () => {
  const { authMethods, sizeLimit } = readCapabilities([
    "x",
    "auth login plain",
    "AUTH=LOGIN CRAM-MD5",
    "size x",
  ]);
  assert.deepEqual(authMethods, ["LOGIN", "PLAIN", "LOGIN", "CRAM-MD5"]);
  assert.equal(sizeLimit, 0);
});
