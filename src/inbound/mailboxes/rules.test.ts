import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readEnvelope } from "./envelope.ts";
import { conceal, failureOf, isFailing } from "./failures.ts";
import { defaultPort, type Editable, faultsOf, isSameFolder } from "./input.ts";
import { waitAfterFailure, waitAfterSuccess } from "./pace.ts";

const WORKING: Editable = {
  name: "Bounces",
  host: "imap.example.com",
  port: 993,
  tls: "implicit",
  username: "bounces",
  folder: "INBOX",
  after: "keep",
  is_paused: false,
};

describe("what is asked of a mailbox", () => {
  const codes = (
    more: Partial<Editable>,
    { hosts = [] as string[], before = undefined as Editable | undefined, password = true } = {},
  ) =>
    faultsOf(hosts, before, { ...WORKING, ...more }, password).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    );

  it("is nothing of one that is right", () => assert.deepEqual(codes({}), []));

  it("is a host outside the operator's network, or one that is listed", () => {
    assert.deepEqual(codes({ host: "not a host" }), ["/host invalid_host"]);
    for (const host of ["127.0.0.1", "10.0.0.1", "::1", "169.254.169.254", "::ffff:127.0.0.1"])
      assert.deepEqual(codes({ host }), ["/host internal_host"]);
    assert.deepEqual(codes({ host: "10.0.0.1" }, { hosts: ["10.0.0.0/8"] }), []);
  });

  it("is a port of IMAP, or one that any program may have", () => {
    for (const port of [143, 993, 1_024, 10_143]) assert.deepEqual(codes({ port }), []);
    for (const port of [22, 25, 80, 443]) assert.deepEqual(codes({ port }), ["/port invalid_port"]);
    assert.deepEqual(
      [defaultPort("implicit"), defaultPort("starttls"), defaultPort("none")],
      [993, 143, 143],
    );
  });

  it("is TLS, unless the operator listed the very host", () => {
    assert.deepEqual(codes({ tls: "none" }), ["/tls tls_required"]);
    assert.deepEqual(codes({ tls: "none", host: "mail.lan" }, { hosts: ["mail.lan"] }), []);
    assert.deepEqual(codes({ tls: "none", host: "mail.lan" }, { hosts: ["10.0.0.0/8"] }), [
      "/tls tls_required",
    ]);
  });

  it("is the password again, when it would go elsewhere", () => {
    const given = { before: WORKING, password: false };
    for (const more of [
      { host: "imap.example.net" },
      { port: 1_993 },
      { tls: "starttls" as const },
      { username: "x" },
    ])
      assert.deepEqual(codes(more, given), ["/password required"]);
    assert.deepEqual(codes({ folder: "Bounces", after: "seen" }, given), []);
  });

  it("is another folder to move mail to", () => {
    assert.deepEqual(codes({ after: "move:INBOX" }), ["/after same_folder"]);
    assert.deepEqual(codes({ after: "move:Done" }), []);
  });

  it("is read anew in another folder or on another server alone", () => {
    assert.ok(
      isSameFolder(WORKING, { ...WORKING, name: "x", after: "seen", is_paused: true, tls: "starttls" }),
    );
    for (const more of [{ folder: "x" }, { host: "x" }, { username: "x" }, { port: 1 }])
      assert.ok(!isSameFolder(WORKING, { ...WORKING, ...more }));
  });
});

describe("a failure", () => {
  it("is named and told in words", () => {
    const named = (clues: object) => failureOf(Object.assign(new Error("x"), clues)).code;
    assert.equal(named({ code: "ECONNREFUSED" }), "unreachable");
    assert.equal(named({ code: "ENOTFOUND" }), "unresolved");
    assert.equal(named({ code: "CERT_HAS_EXPIRED" }), "certificate");
    assert.equal(named({ code: "ERR_TLS_CERT_ALTNAME_INVALID" }), "certificate");
    assert.equal(named({ code: "DEPTH_ZERO_SELF_SIGNED_CERT", tlsFailed: true }), "certificate");
    assert.equal(named({ code: "ERR_SSL_WRONG_VERSION_NUMBER" }), "tls");
    assert.equal(named({ authenticationFailed: true, responseText: "no" }), "sign_in");
    assert.equal(named({ code: "toString" }), "protocol");
    assert.equal(failureOf(undefined).code, "protocol");
  });

  it("quotes the server in one short line", () => {
    const { text } = failureOf({
      authenticationFailed: true,
      responseText: `a\r\n\u0000\u202eb ${"x".repeat(9_999)}`,
    });
    assert.match(text, /It said: a b x+$/);
    assert.ok(text.length < 500, String(text.length));
  });

  it("doesn't show the password, plain or in base64", () => {
    const said = `hunter2 ${Buffer.from("hunter2").toString("base64")}`;
    assert.equal(conceal({ code: "sign_in", text: said }, "hunter2").text, "*** ***");
  });

  it("is news at once where waiting doesn't mend it, and else the third time", () => {
    assert.ok(isFailing("sign_in", 1));
    assert.ok(isFailing("certificate", 1));
    assert.ok(!isFailing("closed", 2));
    assert.ok(isFailing("closed", 3));
  });

  it("is waited after for longer and longer, an hour at most, and not by all at once", () => {
    assert.equal(waitAfterFailure("closed", 1, 0.5), 30_000);
    assert.equal(waitAfterFailure("closed", 2, 0.5), 60_000);
    assert.equal(waitAfterFailure("sign_in", 1, 0.5), 300_000);
    assert.equal(waitAfterFailure("closed", 1_000_000, 0.5), 3_600_000);
    assert.equal(waitAfterFailure("closed", 1, 0), 24_000);
    assert.ok(waitAfterSuccess(0) < waitAfterSuccess(0.9));
  });
});

describe("the traces of an envelope", () => {
  const OURS = `b${"0123456789abcdefghjkmnpqrstvwxyz".repeat(2).slice(0, 62)}`;
  const named = { sourceId: "s", contactId: "c", kind: "bounce" as const };
  const read = (head: string) =>
    readEnvelope(Buffer.from(`${head}\r\n\r\nDelivered-To: ${OURS}@x\r\n`), "a", (localPart, accountId) =>
      accountId === "a" && localPart.toLowerCase() === OURS ? named : null,
    );

  it("say who sent it, and whose return path it came to", () => {
    for (const field of ["Delivered-To", "X-Original-To", "envelope-to", "To"])
      assert.deepEqual(read(`Return-Path: <>\r\n${field}: <${OURS.toUpperCase()}@bounces.example.com>`), {
        envelopeFrom: "",
        addressed: named,
      });
    assert.equal(read("Return-Path: <ada@example.com>").envelopeFrom, "ada@example.com");
  });

  it("are none in the body, in other fields, or where the address isn't ours", () => {
    const none = { envelopeFrom: null, addressed: null };
    assert.deepEqual(read("Subject: hello"), none);
    assert.deepEqual(read(`Subject: ${OURS}@x`), none);
    assert.deepEqual(read(`To: b${"7".repeat(62)}@x`), none);
    assert.deepEqual(read(`To: x${OURS}@x`), none);
  });

  it("are found in no time, whatever the head looks like", () => {
    const head = `To: ${"b".repeat(60_000)}\r\n ${" ".repeat(60_000)}`;
    assert.deepEqual(read(head).addressed, null);
  });
});
