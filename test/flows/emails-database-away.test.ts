/** Mails are accepted together; whatever happens to the database meanwhile, one that was answered for is there, and none is there twice. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { postEmail } from "../support/emails.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MAILS = 40;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  const settings = { DATABASE_URL: proxy.url, ROLES: "api" };
  app = await createApp({ databaseUrl: database.url, settings });
  assert.equal((await postEmail(app)).status, 202);
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

const post = (name: string, n: number, more: Json = {}): Promise<Reply> =>
  postEmail(
    app,
    { to: [`person${n}@${name}.example`], tags: [name], ...more },
    { "idempotency-key": `${name} ${n}` },
  );

/** Repeats each request with its key until it is accepted, and checks that each mail is there once. */
async function repeatUntilAccepted(name: string, first: readonly Reply[]): Promise<void> {
  const ids = await Promise.all(
    first.map(async (reply, n) => {
      let last = reply;
      await until(async () => {
        if (last.status !== 202) last = await post(name, n);
        return last.status === 202;
      });
      if (reply.status === 202) assert.equal((await post(name, n)).body.id, reply.body.id, "it is repeated");
      return uuidOf("msg", String(last.body.id));
    }),
  );
  assert.equal(new Set(ids).size, first.length);
  const { data, total } = (await app.api("GET", `/v1/emails?tag=${name}&limit=100&include_total=true`)).body;
  assert.deepEqual([total, data.length], [first.length, first.length]);
  const { rows } = await app.db.one<{ rows: number }>(sql`
    select count(*) as rows from deliveries
    where left(contact_id::text, 34) = any(${ids.map((id) => id.slice(0, -2))}::text[])`);
  assert.equal(rows, first.length, "each has its row in the ledger");
}

const sendAll = (name: string) => Promise.all(Array.from({ length: MAILS }, (_, n) => post(name, n)));

test("where the answer to a commit is lost, nobody is told that a mail was accepted, and none is stored again", async () => {
  const [replies] = await Promise.all([sendAll("lost"), proxy.loseCommitAnswer("lost")]);
  assert.ok(replies.some(({ status }) => status === 503));
  await repeatUntilAccepted("lost", replies);
});

test("where the database is away, and back again", async () => {
  const accepting = sendAll("away");
  await proxy.cut();
  const replies = await accepting;
  assert.ok(replies.every(({ status }) => status === 202 || status === 503));
  await proxy.restore();
  await repeatUntilAccepted("away", replies);
});

test("a key that comes twice at once fails no mail beside it, and sends one", async () => {
  const doubled = [
    post("twice", 0),
    post("twice", 0),
    post("contested", 0),
    post("contested", 0, { subject: "Another" }),
  ];
  const [same, again, one, other, ...beside] = await Promise.all([
    ...doubled,
    ...Array.from({ length: MAILS - 1 }, (_, n) => post("twice", n + 1)),
  ]);
  assert.ok(beside.every((reply) => reply?.status === 202));
  // Either of the two may have come first.
  assert.deepEqual([one, other].map((reply) => reply?.body.code ?? reply?.status).sort(), [
    202,
    "idempotency_key_reused",
  ]);
  await repeatUntilAccepted("twice", [same ?? again, ...beside] as Reply[]);
});
