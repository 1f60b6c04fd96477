import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type Fault,
  type ImapServer,
  imapUser,
  startImapServer,
} from "../../../test/support/imap/imap-server.ts";
import { type FailureCode, MailboxError } from "./failures.ts";
import { connectImap, type ImapServer as Server } from "./imap.ts";

/** It is short, so that servers which hang are found out soon, and long enough for one on a busy machine. */
const LIMIT_MS = 3_000;
const MAIL = "Subject: hello\r\n\r\nThis is a mail.\r\n";

let server: ImapServer;

function connect(more: Partial<Server> = {}, internalHosts = ["127.0.0.1", "localhost"]) {
  const { signal } = new AbortController();
  return connectImap(
    { host: "127.0.0.1", port: server.port, tls: "none", ...imapUser, ...more },
    { internalHosts, signal, limitMs: LIMIT_MS },
  );
}

async function failure(work: Promise<unknown>): Promise<{ code: FailureCode; text: string }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MailboxError, String(error));
  assert.ok(!error.message.includes(imapUser.password), error.message);
  return error.failure;
}

describe("a connection to a mailbox", () => {
  beforeEach(async () => {
    server = await startImapServer();
  });
  afterEach(() => server.close());

  it("lists mails, and fetches the beginning of each without marking it", async () => {
    const [first, second] = [server.deliver(MAIL), server.deliver(MAIL.repeat(100))];
    const imap = await connect();
    assert.deepEqual(await imap.openFolder("INBOX", true), { uidValidity: 7, uidNext: 3, exists: 2 });
    const listed = await imap.list("1:100", "uid", 10);
    assert.deepEqual(
      listed.map(({ uid, size }) => [uid, size]),
      [
        [1, first.raw.length],
        [2, second.raw.length],
      ],
    );
    assert.equal((await imap.list("1:100", "uid", 1)).length, 1);
    const fetched = await imap.fetch([1, 2], 50);
    assert.deepEqual(
      fetched.map(({ raw }) => raw.toString()),
      [MAIL, MAIL.repeat(100).slice(0, 50)],
    );
    assert.equal(first.flags.size + second.flags.size, 0);
    await imap.close();
  });

  it("waits for mail, and ends at once when some comes", async () => {
    const imap = await connect();
    await imap.openFolder("INBOX", true);
    const idle = imap.idle(60_000);
    setTimeout(() => server.deliver(MAIL), 20);
    assert.equal(await idle, true);
    await imap.openFolder("INBOX", true);
    assert.equal(await imap.idle(10), false);
    await imap.close();
  });

  it("marks, moves and deletes what it is asked to, and nothing else", async () => {
    for (let count = 0; count < 4; count++) server.deliver(MAIL);
    const marked = server.deliver(MAIL);
    marked.flags.add("\\Deleted");
    const imap = await connect();
    await imap.openFolder("INBOX", false);
    await imap.settle([1], "seen");
    await imap.settle([2], "move:Done");
    await imap.settle([3], "delete");
    const left = server.state.folders.get("INBOX") ?? [];
    assert.deepEqual(
      left.map(({ uid, flags }) => [uid, ...flags]),
      [[1, "\\Seen"], [4], [5, "\\Deleted"]],
    );
    assert.equal(server.state.folders.get("Done")?.length, 1);
    await imap.close();
  });

  it("deletes nothing that others have marked, where the server can't delete single mails", async () => {
    server.state.capabilities = ["IMAP4rev1"];
    server.deliver(MAIL);
    server.deliver(MAIL).flags.add("\\Deleted");
    const imap = await connect();
    await imap.openFolder("INBOX", false);
    await imap.settle([1], "delete");
    const left = server.state.folders.get("INBOX") ?? [];
    assert.deepEqual(
      left.map(({ uid, flags }) => [uid, ...flags]),
      [
        [1, "\\Deleted"],
        [2, "\\Deleted"],
      ],
    );
    await imap.settle([1], "move:Done");
    assert.equal(left.length, 2, "it is copied, and marked");
    assert.equal(server.state.folders.get("Done")?.length, 1);
    await imap.close();
  });

  it("says that a folder isn't there, and that a mail can't be moved", async () => {
    server.deliver(MAIL);
    assert.equal((await failure(connect().then((imap) => imap.openFolder("Gone", true)))).code, "no_folder");
    const imap = await connect();
    await imap.openFolder("INBOX", false);
    assert.equal((await failure(imap.settle([1], "move:Gone"))).code, "not_settled");
  });

  const faults: readonly (readonly [fault: Fault, code: FailureCode])[] = [
    ["hang", "timeout"],
    ["close", "closed"],
    ["close_halfway", "closed"],
    ["endless_line", "too_much"],
    ["huge_literal", "too_much"],
    ["flood", "too_much"],
    ["nonsense", "timeout"],
    ["no", "protocol"],
  ];
  for (const [fault, code] of faults) {
    it(`ends in time, and says so, at a server that answers a FETCH with: ${fault}`, async () => {
      server.deliver(MAIL);
      const imap = await connect();
      await imap.openFolder("INBOX", true);
      server.state.faults.set("UID FETCH", fault);
      const found = (await failure(imap.list("1:100", "uid", 10))).code;
      // On a busy machine a flood takes its time before it is too much.
      assert.ok(found === code || (fault === "flood" && found === "timeout"), found);
      await imap.close();
    });
  }

  for (const [fault, code] of [
    ["hang", "timeout"],
    ["close", "closed"],
    ["endless_line", "too_much"],
  ] as const) {
    it(`ends in time at a server that greets with: ${fault}`, async () => {
      server.state.faults.set("greeting", fault);
      assert.equal((await failure(connect())).code, code);
    });
  }

  it("finds out a server that doesn't end IDLE", async () => {
    const imap = await connect();
    await imap.openFolder("INBOX", true);
    server.state.faults.set("DONE", "hang");
    assert.equal((await failure(imap.idle(10))).code, "timeout");
  });

  it("says that the password is wrong, and doesn't repeat it", async () => {
    assert.equal((await failure(connect({ password: "another password" }))).code, "sign_in");
    server.state.faults.set("LOGIN", "no");
    const { code, text } = await failure(connect());
    assert.equal(code, "sign_in");
    assert.match(text, /not today, said the password \*\*\*/);
  });

  it("sends no password to a server without STARTTLS, or with a certificate that nobody signed", async () => {
    assert.equal((await failure(connect({ tls: "starttls" }))).code, "tls");
    for (const tls of ["implicit", "starttls"] as const) {
      const secure = await startImapServer({ tls });
      assert.equal((await failure(connect({ tls, port: secure.port }))).code, "certificate");
      assert.ok(!secure.lines.includes("LOGIN"), secure.lines.join());
      await secure.close();
    }
    assert.ok(!server.lines.includes("LOGIN"), server.lines.join());
  });

  it("doesn't connect to internal addresses, by number or by name, unless they are listed", async () => {
    assert.equal((await failure(connect({}, []))).code, "internal_host");
    assert.equal((await failure(connect({ host: "localhost", tls: "implicit" }, []))).code, "internal_host");
    assert.equal((await failure(connect({ host: "localhost", tls: "starttls" }, []))).code, "internal_host");
    assert.equal(
      (await failure(connect({ host: "localhost" }, ["127.0.0.1"]))).code,
      "internal_host",
      "in the clear",
    );
    assert.equal(server.connections(), 0);
  });
});
