/** These tests read mailboxes of an IMAP server on loopback, right and wrong, by pollers that may die, compete and meet lies. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { resealMailboxes, startMailboxPolling, storeInbound } from "../../src/inbound/inbound.ts";
import type { InboundItem, Report } from "../../src/inbound/types.ts";
import { readReturnedMail } from "../../src/mail/dsn/dsn.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql, type Tx } from "../../src/platform/db/db.ts";
import { createListener, type Listener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { type ImapServer, imapUser, startImapServer } from "../support/imap/imap-server.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import {
  addSubscriber,
  eventsSince,
  type Json,
  makeList,
  readSubscriber,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const KEY = "a secret key for tests of 32 characters or more";
const PATH = "/v1/inbound/mailboxes";
const secrets = createSecrets([KEY]);
const log = createLog({ level: "silent", pretty: false });

let app: TestApp;
let listener: Listener;
let server: ImapServer;
let pollers: { stop(): Promise<void> }[] = [];
before(async () => {
  // No role of the app polls: each test has pollers of its own.
  app = await createApp({ settings: { ROLES: "api", INTERNAL_HOSTS: "127.0.0.1" } });
  listener = createListener(app.databaseUrl, log);
});
after(async () => {
  await listener.stop();
  await app.stop();
});
beforeEach(async () => {
  server = await startImapServer();
});
afterEach(async () => {
  await Promise.all(pollers.map((poller) => poller.stop()));
  pollers = [];
  await server.close();
  await app.db.execute(sql`delete from mailboxes`);
});

type Store = Parameters<typeof startMailboxPolling>[0]["storeInbound"];
const store: Store = (tx, items) => storeInbound(tx, { secrets, clock: systemClock }, items);

function poll(storeItems: Store = store): { stop(): Promise<void> } {
  const poller = startMailboxPolling({
    db: app.db,
    clock: systemClock,
    log,
    listener,
    secrets,
    internalHosts: ["127.0.0.1"],
    readItem: readAsBefore,
    storeInbound: storeItems,
    verifyAddress: () => null,
  });
  pollers.push(poller);
  return poller;
}

/** Only whether a mail is for us matters here. */
function readAsBefore({ raw }: InboundItem): readonly Report[] {
  return [{ kind: readReturnedMail(raw).kind } as Report];
}

function bounceOf(address: string, size = 0, head = "Subject: news"): string {
  return `Return-Path: <>\r
From: MAILER-DAEMON@mx.example\r
Subject: Undelivered Mail Returned to Sender\r
Content-Type: multipart/report; report-type=delivery-status; boundary=b\r
\r
--b\r
\r
It could not be delivered.\r
--b\r
Content-Type: message/delivery-status\r
\r
Reporting-MTA: dns; mx.example\r
\r
Final-Recipient: rfc822; ${address}\r
Action: failed\r
Status: 5.1.1\r
Diagnostic-Code: smtp; 550 5.1.1 no such user\r
\r
--b\r
Content-Type: message/rfc822\r
\r
${head}\r
\r
${"x".repeat(size)}\r
--b--\r
`;
}
const LETTER = "From: Ada <ada@example.com>\r\nSubject: Lunch?\r\n\r\nAt noon?\r\n";

async function make(more: Json = {}): Promise<string> {
  const reached = { host: "127.0.0.1", port: server.port, tls: "none", ...imapUser };
  const made = await app.api("POST", PATH, { body: { name: "Bounces", ...reached, ...more } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const read = async (id: string): Promise<Json> => (await app.api("GET", `${PATH}/${id}`)).body;
const patch = (id: string, body: Json): Promise<Reply> => app.api("PATCH", `${PATH}/${id}`, { body });
/** Makes the next look due, as time does. */
async function hurry(): Promise<void> {
  await app.db.execute(sql`update mailboxes set next_check_at = now()`);
  await app.db.execute(sql`select pg_notify('postrider_mailboxes', '')`);
}

async function itemsOf(id: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(
    sql`select count(*) as count from inbound_items where channel = 'mailbox' and channel_id = ${uuidOf("mbx", id)}`,
  );
  return count;
}

async function countLeases(): Promise<number> {
  return (await app.db.many(sql`select from mailboxes where leased_by is not null`)).length;
}

async function untilItems(id: string, count: number): Promise<void> {
  await until(async () => (await itemsOf(id)) >= count);
  assert.equal(await itemsOf(id), count);
}

describe("a mailbox", () => {
  it("is read: what came back is taken, at once, and other mail is left and not kept", async () => {
    server.deliver(bounceOf("ada@example.com"));
    server.deliver(LETTER);
    poll();
    const id = await make();
    await untilItems(id, 1);
    server.deliver(bounceOf("bob@example.com"));
    await untilItems(id, 2);
    await until(async () => (await read(id))["counts"].taken === 2);
    const { state, last_checked_at, last_error, counts } = await read(id);
    assert.deepEqual([state, last_error, counts], ["ok", null, { taken: 2, left: 1, cut: 0 }]);
    assert.ok(last_checked_at);
    assert.ok(
      (server.state.folders.get("INBOX") ?? []).every(({ flags }) => flags.size === 0),
      "nothing is marked unless asked",
    );
    assert.equal(server.connections(), 1, "it waits by IDLE");
  });

  it("marks, moves or deletes what it took, where it is asked to, and nothing else", async () => {
    server.deliver(bounceOf("ada@example.com"));
    const letter = server.deliver(LETTER);
    poll();
    const id = await make({ after: "move:Done" });
    await until(() => server.state.folders.get("Done")?.length === 1);
    assert.deepEqual(server.state.folders.get("INBOX"), [letter]);
    await patch(id, { after: "delete" });
    server.deliver(bounceOf("bob@example.com"));
    await until(() => server.state.folders.get("INBOX")?.length === 1);
    await patch(id, { after: "seen" });
    const last = server.deliver(bounceOf("cyd@example.com"));
    await until(() => last.flags.has("\\Seen"));
    assert.equal(letter.flags.size, 0);
    assert.equal(await itemsOf(id), 3);
  });

  it("reads on where it stopped, also without IDLE, and reads nothing that is paused or deleted", async () => {
    server.state.capabilities = ["IMAP4rev1"];
    server.deliver(bounceOf("ada@example.com"));
    poll();
    const id = await make();
    await untilItems(id, 1);
    server.deliver(bounceOf("bob@example.com"));
    await until(async () => {
      await hurry();
      return (await itemsOf(id)) === 2;
    });
    assert.ok(!server.lines.includes("IDLE"));
    assert.equal((await patch(id, { paused: true })).body.state, "paused");
    const before = server.connections();
    await until(async () => (await countLeases()) === 0);
    await hurry();
    assert.equal((await app.api("DELETE", `${PATH}/${id}`)).status, 204);
    const other = await make();
    await untilItems(other, 2);
    assert.equal(server.connections(), before + 1, "only the other mailbox was looked into");
  });

  it("reads the first MiB of a mail that is larger, and says so", async () => {
    server.deliver(bounceOf("ada@example.com", 3_000_000));
    poll();
    const id = await make();
    await untilItems(id, 1);
    assert.deepEqual((await read(id))["counts"], { taken: 1, left: 0, cut: 1 });
    const item = await app.db.one<{ bytes: number }>(
      sql`select bytes from inbound_items where channel_id = ${uuidOf("mbx", id)}`,
    );
    assert.ok(item.bytes > 3_000_000, String(item.bytes));
  });

  it("is begun with the newest thousand mails, whatever the server holds, and none that is older than 30 days", async () => {
    const old = new Date(Date.now() - 40 * 24 * 3_600_000);
    server.deliver(bounceOf("old@example.com"), { arrivedAt: old });
    for (let count = 0; count < 1_050; count++) server.deliver(LETTER);
    server.deliver(bounceOf("ada@example.com"), { uid: 4_000_000_000 });
    poll();
    const id = await make();
    await untilItems(id, 1);
    await until(async () => (await read(id))["counts"].left === 999);
  });
});

describe("a poller", () => {
  it("stores each mail once, when it dies between any two steps", async () => {
    for (let count = 0; count < 5; count++) server.deliver(bounceOf(`b${count}@example.com`));
    let calls = 0;
    const dying: Store = async (tx, items) => {
      const stored = await store(tx, items);
      if (++calls === 1) throw new Error("the process died before the commit");
      return stored;
    };
    poll(dying);
    const id = await make({ after: "seen" });
    await until(() => calls === 1);
    // The lease of a process that died runs out by itself; here it is made to.
    await until(async () => {
      await app.db.execute(sql`update mailboxes set leased_until = now() where leased_until > now()`);
      await hurry();
      return calls >= 2;
    });
    await untilItems(id, 5);
    await until(() => (server.state.folders.get("INBOX") ?? []).every(({ flags }) => flags.has("\\Seen")));
  });

  it("marks what another one took and could not mark any more", async () => {
    server.deliver(bounceOf("ada@example.com"));
    server.state.faults.set("UID STORE", "close");
    poll();
    const id = await make({ after: "seen" });
    await until(async () => (await read(id))["last_error"]?.reason === "closed");
    await untilItems(id, 1);
    server.state.faults.clear();
    await until(async () => {
      await hurry();
      return server.state.folders.get("INBOX")?.[0]?.flags.has("\\Seen") ?? false;
    });
    assert.equal(await itemsOf(id), 1);
    assert.equal((await read(id))["counts"].taken, 1);
  });

  it("leaves a mail that breaks every connection, after some tries, and reads those behind it", async () => {
    server.state.capabilities = ["IMAP4rev1"];
    server.state.poison = server.deliver(bounceOf("poison@example.com")).uid;
    server.deliver(bounceOf("ada@example.com"));
    poll();
    const id = await make();
    await until(async () => {
      await hurry();
      return (await itemsOf(id)) === 1;
    });
    await until(async () => (await read(id))["state"] === "ok");
    assert.equal((await read(id))["counts"].taken, 1);
  });

  it("has a mailbox alone: of several, one connects, and one that lost its lease stores nothing", async () => {
    let isHeld = false;
    const held = Promise.withResolvers<void>();
    const slow: Store = async (tx: Tx, items) => {
      isHeld = true;
      await held.promise;
      return store(tx, items);
    };
    server.deliver(bounceOf("ada@example.com"));
    poll(slow);
    poll(slow);
    poll(slow);
    const id = await make();
    await until(() => isHeld);
    assert.equal(server.connections(), 1);
    held.resolve();
    await untilItems(id, 1);
    await app.db.execute(
      sql`update mailboxes set leased_by = gen_random_uuid(), leased_until = now() + interval '1 h'`,
    );
    server.deliver(bounceOf("bob@example.com"));
    await until(() => server.lines.filter((line) => line === "LOGOUT").length === 1);
    assert.equal(await itemsOf(id), 1, "the mail is for whoever has the lease");
  });

  it("reads anew where the numbers changed, and stores nothing twice", async () => {
    for (let count = 0; count < 3; count++) server.deliver(bounceOf(`b${count}@example.com`));
    server.state.capabilities = ["IMAP4rev1"];
    poll();
    const id = await make();
    await untilItems(id, 3);
    await until(async () => (await countLeases()) === 0);
    await app.db.execute(sql`update mailboxes set restarted_at = now() - interval '2 h'`);
    server.state.uidValidity = 8;
    server.deliver(bounceOf("new@example.com"));
    await hurry();
    await untilItems(id, 4);
    await until(async () => (await read(id))["counts"].taken === 7);
    assert.equal(await itemsOf(id), 4);
  });

  it("gives up, in words, on a server that changes its numbers at every look", async () => {
    server.deliver(bounceOf("ada@example.com"));
    server.state.onSelect = () => {
      server.state.uidValidity++;
    };
    poll();
    const id = await make();
    await untilItems(id, 1);
    server.deliver(bounceOf("bob@example.com"));
    await until(async () => (await read(id))["state"] === "failing");
    assert.equal((await read(id))["last_error"].reason, "unstable");
    assert.match((await read(id))["last_error"].text, /UIDVALIDITY/);
  });

  it("sees mail though the server lies about the next number or the number of mails", async () => {
    poll();
    const id = await make();
    await until(async () => (await read(id))["state"] === "ok");
    for (const [uidNext, exists] of [
      [null, undefined],
      [4_294_967_295, 10_000_000],
    ] as const) {
      server.state.uidNext = uidNext;
      server.state.exists = exists;
      const count = await itemsOf(id);
      server.deliver(bounceOf(`${exists}@example.com`));
      await untilItems(id, count + 1);
    }
  });

  it("tells once that a mailbox fails, once that it has recovered, and goes on with the others", async () => {
    const { cursor } = await eventsSince(app);
    const broken = await startImapServer();
    broken.state.faults.set("greeting", "close");
    poll();
    const [bad, wrong, good] = [
      await make({ port: broken.port }),
      await make({ password: "wrong" }),
      await make(),
    ];
    server.deliver(bounceOf("ada@example.com"));
    await untilItems(good, 1);
    await until(async () => (await read(wrong))["state"] === "failing");
    await until(async () => {
      await hurry();
      return (await read(bad))["state"] === "failing";
    });
    const { last_error } = await read(wrong);
    assert.equal(last_error.reason, "sign_in");
    assert.match(last_error.text, /user name or the password/);
    broken.state.faults.clear();
    await patch(wrong, { password: imapUser.password });
    await until(async () => (await read(wrong))["state"] === "ok");
    await until(async () => {
      await hurry();
      return (await read(bad))["state"] === "ok";
    });
    const told = (await eventsSince(app, cursor)).events
      .filter(({ type }) => /mailbox_(failing|recovered)/.test(type))
      .map(({ type, data }) =>
        `${type} ${data.mailbox_id === bad ? "bad" : "wrong"} ${data.reason ?? ""}`.trim(),
      );
    assert.deepEqual(told.sort(), [
      "inbound.mailbox_failing bad closed",
      "inbound.mailbox_failing wrong sign_in",
      "inbound.mailbox_recovered bad",
      "inbound.mailbox_recovered wrong",
    ]);
    await broken.close();
  });

  it("stops at once, also in front of a server that hangs", async () => {
    server.state.faults.set("EXAMINE", "hang");
    const poller = poll();
    const id = await make();
    await until(() => server.lines.some((line) => line.startsWith("EXAMINE")));
    await poller.stop();
    const row = await app.db.one<{ leased_by: string | null; failures: number }>(
      sql`select leased_by, failures from mailboxes where id = ${uuidOf("mbx", id)}`,
    );
    assert.deepEqual(
      row,
      { leased_by: null, failures: 0 },
      "another process may have it, and nothing failed",
    );
  });
});

describe("the API of mailboxes", () => {
  it("makes them with defaults, never shows the password, and keeps to its limits", async () => {
    const body = { name: "Plain", host: "imap.example.com", username: "ada", password: "secret words" };
    const made = await app.api("POST", PATH, { body });
    assert.equal(made.status, 201, made.text);
    assert.ok(!made.text.includes("secret words"));
    const { id, created_at, updated_at, updated_by, ...rest } = made.body;
    assert.equal(made.headers.get("location"), `${app.baseUrl}${PATH}/${id}`);
    assert.deepEqual(rest, {
      object: "mailbox",
      name: "Plain",
      host: "imap.example.com",
      port: 993,
      tls: "implicit",
      username: "ada",
      folder: "INBOX",
      after: "keep",
      paused: false,
      state: "waiting",
      last_checked_at: null,
      last_error: null,
      counts: { taken: 0, left: 0, cut: 0 },
    });
    assert.deepEqual((await app.api("GET", PATH)).body.data, [made.body]);
    for (let count = 1; count < 5; count++) assert.equal((await app.api("POST", PATH, { body })).status, 201);
    const sixth = await app.api("POST", PATH, { body });
    assert.deepEqual([sixth.status, sixth.body.code], [409, "too_many_mailboxes"]);
    const { key } = await app.addAccount();
    assert.equal((await app.api("POST", PATH, { body, key })).status, 201, "others have their own");
    assert.equal((await app.api("GET", `${PATH}/${id}`, { key })).status, 404);
  });

  it("refuses internal hosts, ports of other services and passwords in the clear", async () => {
    const body = { name: "x", host: "10.0.0.1", port: 22, tls: "none", username: "ada", password: "x\r\ny" };
    const pointers = async (more: Json) =>
      (await app.api("POST", PATH, { body: { ...body, ...more } })).body.errors.map(
        ({ pointer, code }: Json) => `${pointer} ${code}`,
      );
    assert.deepEqual(await pointers({ password: "good" }), [
      "/host internal_host",
      "/port invalid_port",
      "/tls tls_required",
    ]);
    assert.equal((await pointers({ after: "explode" })).length, 2);
  });

  it("tests one, says what it found, and has it read at once", async () => {
    server.deliver(bounceOf("ada@example.com"));
    const id = await make();
    const trial = async () => (await app.api("POST", `${PATH}/${id}/test`)).body;
    const { ok, reason, text, messages, idle, encrypted } = await trial();
    assert.deepEqual([ok, reason, text, messages, idle, encrypted], [true, null, null, 1, true, false]);
    server.state.password = "another";
    assert.deepEqual([(await trial()).ok, (await trial()).reason], [false, "sign_in"]);
    assert.ok(!server.lines.some((line) => line.includes("FETCH")), "a test reads no mail");
    const writer = await app.addKey(["inbound:write"]);
    const reader = await app.addKey(["inbound:read"]);
    assert.equal((await app.api("POST", `${PATH}/${id}/test`, { key: reader })).status, 403);
    assert.equal((await app.api("GET", `${PATH}/${id}`, { key: writer })).status, 403);
  });

  it("wants the password again when it would go elsewhere, and seals it anew after a rotation", async () => {
    const id = await make();
    const moved = await patch(id, { host: "imap.example.com", tls: "implicit" });
    assert.equal(moved.status, 422);
    assert.equal(moved.body.errors[0].pointer, "/password");
    const rotated = createSecrets(["another secret key, of 32 characters or more", KEY]);
    assert.equal(await resealMailboxes(app.db, rotated), 1);
    assert.equal(await resealMailboxes(app.db, rotated), 0);
    // A process that has only the old key can't open it any more, and says so.
    poll();
    await hurry();
    await until(async () => (await read(id))["last_error"]?.reason === "secret_key");
  });
});

describe("the whole program", () => {
  it("suppresses who bounced by a report in a mailbox, of the right campaign, and believes no other report", async () => {
    const whole = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1" } });
    try {
      const listId = await makeList(whole);
      const people = await Promise.all(
        ["ada@example.com", "bob@example.com"].map((email) => addSubscriber(whole, listId, email)),
      );
      const campaign = await sendCampaign(whole, listId);
      const { body } = await whole.api("GET", "/v1/sandbox/messages?to=ada%40example.com");
      const raw = (await whole.api("GET", `/v1/sandbox/messages/${body.data[0].id}/raw`)).text;
      // A report is believed by the one-click link in what it returns, which only the mail's holder knows.
      const returned = raw.slice(0, raw.indexOf("\r\n\r\n"));
      server.deliver(bounceOf("bob@example.com", 0, "Message-ID: <made.up@example.com>"));
      server.deliver(LETTER);
      server.deliver(bounceOf("ada@example.com", 0, returned));
      const reached = { host: "127.0.0.1", port: server.port, tls: "none", ...imapUser };
      const mailbox = await whole.api("POST", PATH, { body: { name: "News", ...reached } });
      assert.equal(mailbox.status, 201, mailbox.text);
      await until(async () => (await whole.api("GET", "/v1/inbound?state=read")).body.data.length === 2);
      const items: Json[] = (await whole.api("GET", "/v1/inbound")).body.data;
      const details = await Promise.all(items.map(({ id }) => whole.api("GET", `/v1/inbound/${id}`)));
      const reports = details.flatMap(({ body }) => body.reports as Json[]);
      const made = reports.map(({ recipient, campaign_id, outcome }) => [recipient, campaign_id, outcome]);
      assert.deepEqual(
        made.sort(),
        [
          ["ada@example.com", campaign, "suppressed"],
          ["bob@example.com", null, "unmatched"],
        ],
        "the letter is nobody's business",
      );
      const states = await Promise.all(
        people.map(async ({ id }) => (await readSubscriber(whole, id))["status"]),
      );
      assert.deepEqual(states, ["bounced", "active"]);
      const { delivered } = (await whole.api("GET", `/v1/campaigns/${campaign}/stats`)).body;
      assert.equal(delivered, 1);
    } finally {
      await whole.stop();
    }
  });
});
