/** What is kept of a mail whose recipients are erased, and which mails can't be taken back. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { LOCKED } from "../support/blocked.ts";
import { readEmail, sendEmail, untilStatus } from "../support/emails.ts";
import { startScriptedServer } from "../support/smtp/scripted-server.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let turn = 0;
const newAddress = (what: string) => `${what}${++turn}@example.com`;
const recipientsOf = (email: Json) =>
  (email["recipients"] as Json[]).map(({ email: to, role, status, reason }) => [to, role, status, reason]);

describe("a mail whose people are erased before its time", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());

  const bodyOf = async (id: unknown) =>
    (
      await app.db.one<{ body: Buffer | null }>(sql`
        select c.body from email_contents c join emails e on e.content_id = c.id
        where e.id = ${uuidOf("msg", String(id))}`)
    ).body;
  async function addPerson(): Promise<{ address: string; erase(): Promise<void> }> {
    const address = newAddress("gone");
    const { id } = await addSubscriber(app, await makeList(app), address);
    const erase = async () => {
      const erased = await app.api("POST", `/v1/subscribers/${id}/forget`);
      assert.ok(erased.status < 300, erased.text);
    };
    return { address, erase };
  }

  test("keeps nothing once all are, and says of each that nothing will come", async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await sendEmail(app, {
      to: [one.address],
      bcc: [other.address],
      send_at: sendAt,
      subject: "Secret",
    });
    await one.erase();
    assert.notEqual(await bodyOf(id), null, "the other still waits for it");
    const half = await readEmail(app, id);
    assert.deepEqual(
      [half["status"], recipientsOf(half)[0]],
      ["scheduled", [null, "to", "skipped", "deleted"]],
    );
    await other.erase();
    assert.equal(await bodyOf(id), null);
    const gone = await readEmail(app, id);
    assert.deepEqual([gone["status"], gone["subject"]], ["skipped", ""]);
  });

  test("forgets two who are erased at the same time, and not only the last of them", async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const to = [one.address, other.address, newAddress("stays")];
    const { id } = await sendEmail(app, { to, send_at: new Date(Date.now() + 3_600_000).toISOString() });
    let erasing: Promise<unknown> | undefined;
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from emails where id = ${uuidOf("msg", String(id))} for update`);
      erasing = Promise.all([one.erase(), other.erase()]);
      // The second waits for the first, which waits for this transaction.
      await until(async () => (await tx.many(LOCKED)).length === 2);
    });
    await erasing;
    const left = recipientsOf(await readEmail(app, id)).map(([address]) => address);
    assert.deepEqual(left, [null, null, to[2]]);
  });

  test("keeps its texts for the others until they have it, and no longer", async () => {
    const [one, other] = [await addPerson(), newAddress("stays")];
    const sendAt = new Date(Date.now() + 1_500).toISOString();
    const { id } = await sendEmail(app, { to: [one.address, other], send_at: sendAt, subject: "Secret" });
    await one.erase();
    const sent = await untilStatus(app, id, "sent");
    assert.deepEqual(recipientsOf(sent), [
      [null, "to", "skipped", "deleted"],
      [other, "to", "sent", null],
    ]);
    await app.db.execute(sql`
      update graphile_worker._private_jobs set run_at = now()
      where payload ->> 'email_id' = ${uuidOf("msg", String(id))}`);
    await until(async () => (await bodyOf(id)) === null);
    assert.equal((await readEmail(app, id))["subject"], "");
  });
});

describe("a mail that a server may have taken", () => {
  test("can't be canceled any more", async () => {
    // It takes the first mail and hangs up before it says so, and asks for patience from then on.
    const server = await startScriptedServer({
      dot: [(peer: Socket) => peer.destroy(), "451 4.3.0 later"],
    });
    const app = await createApp({ settings: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } });
    try {
      const { id } = await sendEmail(app, { to: [newAddress("unsure")] });
      await untilStatus(app, id, "deferred");
      const refused = await app.api("POST", `/v1/emails/${id}/cancel`);
      assert.deepEqual([refused.status, refused.body.code], [409, "email_not_cancelable"]);
    } finally {
      await app.stop();
      await server.close();
    }
  });
});
