/** These tests kill the service in the midst of a look into the DNS and of a rotation of keys, and then let it go on. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "../support/database.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { publishKeys, selectorOf } from "../support/domain-bench.ts";
import { readSignatures } from "../support/domains.ts";
import { type Installation, killOne, makeInstallation, type Service } from "../support/process.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let installation: Installation;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let server: DnsServer;
before(async () => {
  installation = makeInstallation();
  database = await cloneDatabase();
  server = await startDnsServer();
  const log = createLog({ level: "silent", pretty: false });
  const options = { poolSize: 4, applicationName: "test", log, statementTimeoutMs: 60_000 };
  db = createDb({ connection: database.url, ...options });
});
after(async () => {
  await installation.clear();
  await server.close();
  await db.close();
  await database.drop();
});

let [service, baseUrl, key] = [undefined as Service | undefined, "", ""];

async function start(): Promise<Service> {
  const env = {
    SECRET_KEY: "a secret key for tests of 32 characters or more",
    LOG_FORMAT: "json",
    DATABASE_URL: database.url,
    DNS_SERVERS: server.address,
  };
  const started = installation.start({ via: "node", env });
  service = started;
  baseUrl = await started.ready();
  if (key === "") {
    await until(() => /API key\s+pr_\S+/.test(started.stdout()));
    [, key = ""] = /API key\s+(pr_\S+)/.exec(started.stdout()) ?? [];
  }
  return started;
}

async function kill(running: Service): Promise<void> {
  killOne(running.nodePid(), "SIGKILL");
  await running.ended;
}

async function api(method: string, path: string, body?: Json): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

/** All that is kept of the keys, apart from when they were seen. */
const readKeys = () =>
  db.many<Json>(
    sql`select id, state, selector, private_key is not null as is_kept from domain_keys order by id`,
  );

/** Sends a mail from the domain, and returns who signed it and whether the DNS confirms that. */
async function signaturesOfMail(from: string): Promise<string[]> {
  const sent = await api("POST", "/v1/emails", {
    from,
    to: ["ada@example.com"],
    subject: "Hello",
    text: "Hello",
  });
  assert.ok(sent.status < 300, JSON.stringify(sent.body));
  const read = () =>
    db.maybeOne<{ raw: Buffer }>(
      sql`select raw from sandbox_messages order by created_at desc, id desc limit 1`,
    );
  const before = (await read())?.raw.toString("latin1");
  await until(async () => (await read())?.raw.toString("latin1") !== before || before !== undefined);
  return readSignatures(server, (await read())?.raw.toString("latin1"));
}

test("killed in the midst of a look, then of a rotation, it loses no key and signs with none that isn't in the DNS", async () => {
  let running = await start();
  const made = await api("POST", "/v1/domains", { name: "killed.example" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const domain = made.body;
  const activeName = `${selectorOf(domain, "active")}._domainkey.killed.example`;
  // The look waits for an answer that doesn't come.
  server.misbehave(activeName, "silence");
  publishKeys(server, domain, "active", "standby");
  const keys = await readKeys();
  await db.execute(sql`update domains set next_check_at = now()`);
  await until(async () => server.queries.some(({ name }) => name === activeName));
  await kill(running);
  assert.deepEqual(await readKeys(), keys);
  const left = await db.one<Json>(sql`select status, leased_by is not null as is_leased from domains`);
  assert.deepEqual(left, { status: "pending", is_leased: true });

  server.misbehave(activeName, null);
  running = await start();
  // The lease of the dead process has run out.
  await db.execute(sql`update domains set leased_until = now() - interval '1 second', next_check_at = now()`);
  await until(async () => (await api("GET", `/v1/domains/${domain.id}`)).body["status"] === "verified");
  assert.deepEqual(await readKeys(), keys);
  const first = `${selectorOf(domain, "active")} killed.example pass`;
  assert.deepEqual(await signaturesOfMail("news@killed.example"), [first]);

  // The rotation has retired the active key when it comes upon the standby key, which is locked.
  const locked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const standby = keys.find(({ state }) => state === "standby");
  const locking = db.transaction(async (tx) => {
    await tx.execute(sql`select from domain_keys where id = ${standby?.["id"]} for update`);
    locked.resolve();
    await goOn.promise;
  });
  await locked.promise;
  const rotating = api("POST", `/v1/domains/${domain.id}/rotate_key`).catch(() => undefined);
  await until(async () => {
    const waiting = await db.many(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%domain_keys%'`);
    return waiting.length > 0;
  });
  await kill(running);
  await rotating;
  goOn.resolve();
  await locking;
  // Its transaction ends with its connection.
  await until(async () => {
    const others = await db.many(sql`
      select from pg_stat_activity where datname = current_database() and query like '%domain_keys%' and state <> 'idle'
        and pid <> pg_backend_pid()`);
    return others.length === 0;
  });
  assert.deepEqual(await readKeys(), keys);

  running = await start();
  assert.deepEqual(await signaturesOfMail("news@killed.example"), [first]);
  const rotated = await api("POST", `/v1/domains/${domain.id}/rotate_key`);
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
  assert.equal(selectorOf(rotated.body, "active"), selectorOf(domain, "standby"));
  const second = `${selectorOf(domain, "standby")} killed.example pass`;
  await until(async () => (await signaturesOfMail("news@killed.example"))[0] === second);
  assert.ok((await readKeys()).every(({ is_kept }) => is_kept));
  assert.equal((await service?.stop())?.code, 0);
});
