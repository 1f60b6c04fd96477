/** Transactional mail that names its transport, is too large for its server, or has lost its transport. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { MAIL, postEmail, readEmail, sendEmail, untilStatus } from "../support/emails.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const settings = { INTERNAL_HOSTS: "127.0.0.1", SENDER_THREADS: "0" };
let app: TestApp;
let sender: TestApp;
const servers: ScriptedServer[] = [];
before(async () => {
  app = await createApp({ settings: { ...settings, ROLES: "api,jobs" } });
  sender = await createApp({ settings: { ...settings, ROLES: "sender" }, databaseUrl: app.databaseUrl });
});
after(async () => {
  await sender.stop();
  await app.stop();
  await Promise.all(servers.map((server) => server.close()));
});

/** Adds a transport with a server of its own, which takes 200,000 bytes. */
async function addTransport(streams: string[] = [], key = app.key) {
  const server = await startScriptedServer();
  servers.push(server);
  const reached = { host: "127.0.0.1", port: server.port, tls: "never" };
  const body = { name: `Server ${server.port}`, ...reached, streams };
  const made = await app.api("POST", "/v1/transports", { body, key });
  assert.equal(made.status, 201, made.text);
  return { id: String(made.body.id), server };
}

const received = ({ messages }: ScriptedServer, words: string) =>
  messages.filter((message) => message.includes(words)).length;
const attachmentOf = (bytes: number) => [
  { filename: "a.bin", content: Buffer.alloc(bytes, "x").toString("base64") },
];

describe("a transactional mail by a transport", () => {
  test("leaves by the one that it names, and by the stream's otherwise", async () => {
    const usual = await addTransport(["transactional"]);
    const named = await addTransport();
    const own = await sendEmail(app, { subject: "By name", transport_id: named.id });
    const other = await sendEmail(app, { subject: "As usual" });
    for (const { id } of [own, other]) await untilStatus(app, id, "sent");
    assert.deepEqual([own["transport_id"], other["transport_id"]], [named.id, null]);
    assert.deepEqual([received(named.server, "By name"), received(named.server, "As usual")], [1, 0]);
    assert.deepEqual([received(usual.server, "By name"), received(usual.server, "As usual")], [0, 1]);
  });

  test("is refused where the account has no such transport", async () => {
    const { key } = await app.addAccount();
    const theirs = await addTransport([], key);
    for (const id of [theirs.id, `trn_${"0".repeat(26)}`, "trn_", "no id"]) {
      const refused = await postEmail(app, { transport_id: id });
      assert.equal(refused.status, 422, id);
      const [{ pointer, code }] = refused.body.errors;
      assert.deepEqual([pointer, code], ["/transport_id", "not_found"]);
    }
    const batch = { emails: [{ ...MAIL, transport_id: theirs.id }, MAIL] };
    const { results } = (await app.api("POST", "/v1/emails/batch", { body: batch })).body;
    assert.deepEqual(
      results.map(({ status }: Json) => status),
      [422, 202],
    );
  });

  test("that is too large fails by itself; once that is known, the next is refused at once", async () => {
    const { id, server } = await addTransport();
    const large = { transport_id: id, attachments: attachmentOf(300_000) };
    const [first, beside] = await Promise.all([
      sendEmail(app, { ...large, subject: "Too large" }),
      sendEmail(app, { transport_id: id, subject: "Beside it" }),
    ]);
    const failed = await untilStatus(app, first["id"], "failed");
    await untilStatus(app, beside["id"], "sent");
    const [recipient] = failed["recipients"] as Json[];
    assert.equal(recipient?.["reason"], "message_too_large");
    assert.match(String(recipient?.["reply"]), /200000/);
    assert.equal(received(server, "Too large"), 0);
    const suppressed = await app.api("GET", "/v1/suppressions?email=ada@example.com");
    assert.equal(suppressed.body.data.length, 0, "the address is as good as before");
    const isRefused = async () => (await postEmail(app, large)).body.code === "email_too_large";
    await until(isRefused);
    assert.equal(
      (await postEmail(app, { transport_id: id, attachments: attachmentOf(100_000) })).status,
      202,
    );
    const batch = { emails: [{ ...MAIL, transport_id: id, html: "x".repeat(300_000) }] };
    const { results } = (await app.api("POST", "/v1/emails/batch", { body: batch })).body;
    assert.equal(results[0].error.code, "email_too_large");
  });

  test("that is deleted meanwhile leaves by another", async () => {
    const usual = await addTransport(["transactional"]);
    const named = await addTransport();
    await sender.stop();
    const waiting = await sendEmail(app, { subject: "Stranded", transport_id: named.id });
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const later = await sendEmail(app, { subject: "Later", transport_id: named.id, send_at: sendAt });
    const deleted = await app.api("DELETE", `/v1/transports/${named.id}`);
    assert.equal(deleted.status, 204, deleted.text);
    sender = await createApp({ settings: { ...settings, ROLES: "sender" }, databaseUrl: app.databaseUrl });
    await untilStatus(app, later["id"], "sent");
    // The wave is tried again a minute after it was found to have no transport.
    await until(async () => {
      await app.db.execute(
        sql`update graphile_worker._private_jobs set run_at = now() where key like 'revive %'`,
      );
      return (await readEmail(app, waiting["id"]))["status"] === "sent";
    });
    assert.deepEqual([received(usual.server, "Stranded"), received(usual.server, "Later")], [1, 1]);
    assert.equal((await postEmail(app, { transport_id: named.id })).status, 422);
  });

  test("loses its attachments when it is canceled", async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await sendEmail(app, { send_at: sendAt, attachments: attachmentOf(10) });
    const countKept = () =>
      app.db.one<{ kept: number }>(
        sql`select count(*) as kept from email_attachments where email_id = ${uuidOf("msg", String(id))}`,
      );
    assert.equal((await countKept()).kept, 1);
    assert.equal((await app.api("POST", `/v1/emails/${id}/cancel`)).status, 200);
    assert.equal((await countKept()).kept, 0);
  });
});
