import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultPort, type Editable, faultsOf, isSameFolder } from "./input.ts";

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
