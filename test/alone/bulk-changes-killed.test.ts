import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "../support/database.ts";
import { type Installation, killOne, makeInstallation } from "../support/process.ts";
import { until } from "../support/until.ts";

const PEOPLE = 30_000;
const env = { SECRET_KEY: "a secret key for tests of 32 characters or more", LOG_FORMAT: "json" };

let installation: Installation;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
before(async () => {
  installation = makeInstallation();
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  const options = { poolSize: 4, applicationName: "test", log, statementTimeoutMs: 60_000 };
  db = createDb({ connection: database.url, ...options });
});
after(async () => {
  await installation.clear();
  await db.close();
  await database.drop();
});

test("killed in the middle, a bulk change goes on without anybody lost or tagged twice", async (t) => {
  const start = () => installation.start({ via: "node", env: { ...env, DATABASE_URL: database.url } });
  let service = start();
  const baseUrl = await service.ready();
  await until(() => /API key\s+pr_\S+/.test(service.stdout()));
  const [, key = ""] = /API key\s+(pr_\S+)/.exec(service.stdout()) ?? [];
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    select account_id, new.id, lists.id, new.id, new.id || '@example.com', new.id || '@example.com', '{}', 'active', 'test', now(), now()
    from lists, lateral (select gen_random_uuid() as id from generate_series(1, ${PEOPLE}) where lists.id is not null) as new`);
  const made = await fetch(`${baseUrl}/v1/bulk_changes`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ filter: {}, action: { type: "add_tags", tags: ["all"] } }),
  });
  assert.equal(made.status, 202, await made.text());
  await until(async () => (await read()).changed >= 3_000);
  killOne(service.nodePid(), "SIGKILL");
  await service.ended;
  const killedAt = await read();
  t.diagnostic(`killed at ${killedAt.changed} of ${PEOPLE}`);
  assert.ok(killedAt.changed < PEOPLE, "it was over before the end");

  service = start();
  await service.ready();
  await until(async () => (await read()).status === "completed");
  const done = await read();
  assert.deepEqual([done.total, done.changed, done.skipped], [PEOPLE, PEOPLE, 0]);
  const counts = await db.one(sql`
    select (select count(*) from subscriber_tags) as tags,
      (select count(*) from events where type = 'subscriber.tag_added') as events,
      (select count(*) from events where type = 'bulk_change.completed') as ends`);
  assert.deepEqual(counts, { tags: PEOPLE, events: PEOPLE, ends: 1 });
  assert.equal((await service.stop()).code, 0);
});

type Seen = { status: string } & Record<"total" | "changed" | "skipped", number>;

function read(): Promise<Seen> {
  return db.one<Seen>(sql`select status, total, changed, skipped from bulk_changes`);
}
