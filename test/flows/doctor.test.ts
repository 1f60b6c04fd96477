import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { NamedResult } from "../../src/doctor/doctor.ts";
import { cloneDatabase, emptyDatabase } from "../support/database.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { type Ended, makeInstallation } from "../support/process.ts";

const installation = makeInstallation();
after(() => installation.clear());

const KEY = "a secret key for tests of 32 characters or more";

function read(ended: Ended): Map<string, NamedResult> {
  const results = JSON.parse(ended.stdout) as NamedResult[];
  return new Map(results.map((result) => [result.name, result]));
}

function wrongIn(results: Map<string, NamedResult>): string[] {
  return [...results.values()].filter(({ status }) => status === "fail").map(({ name }) => name);
}

test("before the first start nothing is wrong, and nothing is made", async () => {
  const dns = await startDnsServer();
  dns.set("com", "NS", ["a.gtld-servers.net"]);
  const ended = await installation.postrider(["doctor"], { DNS_SERVERS: dns.address });
  await dns.close();
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.match(ended.stdout, /^✓ dns +DNS_SERVERS/m);
  assert.match(ended.stdout, /^– database +there is none in /m);
  assert.match(ended.stdout, /\n\nNothing is wrong\.\n$/);
  assert.ok(!existsSync(installation.dataDir));
});

test("beside a running service every part of it is seen", async () => {
  const service = installation.start();
  const address = await service.ready();
  const ended = await installation.postrider(["doctor", "--json"], { PORT: new URL(address).port });
  const results = read(ended);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.deepEqual(wrongIn(results), []);
  assert.match(results.get("public address")?.finding ?? "", /^Postrider answers at/);
  assert.match(results.get("workers")?.finding ?? "", /^at work: 1 of jobs$/);
  for (const name of ["database", "durability", "migrations", "key fingerprint", "clock"]) {
    assert.equal(results.get(name)?.status, "ok", name);
  }
  assert.equal((await service.stop()).code, 0);
});

test("on the stopped service the database is still seen, and stopped again", async () => {
  const ended = await installation.postrider(["doctor", "--json"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.match(read(ended).get("workers")?.finding ?? "", /not running/);
  assert.deepEqual(installation.processes(), []);
});

test("a lost secret key is told, and no other is made in its place", async () => {
  const key = join(installation.dataDir, "secret.key");
  renameSync(key, `${key}.away`);
  const ended = await installation.postrider(["doctor"]);
  assert.equal(ended.code, 1);
  assert.match(ended.stdout, /^✗ key fingerprint +the database was set up with a key.*\n +→ /m);
  assert.ok(!existsSync(key), readdirSync(installation.dataDir).join());
  renameSync(`${key}.away`, key);
});

test("another PostgreSQL is looked at through DATABASE_URL, and not migrated", async (t) => {
  const empty = await emptyDatabase();
  t.after(empty.drop);
  const look = async (url: string) => read(await installation.postrider(["doctor", "--json"], external(url)));
  assert.equal((await look(empty.url)).get("migrations")?.status, "info");
  assert.equal((await look(empty.url)).get("migrations")?.status, "info");
  const migrated = await cloneDatabase();
  t.after(migrated.drop);
  assert.equal((await look(migrated.url)).get("migrations")?.status, "ok");
});

test("where the database is away the other findings still come, and the password stays out of them", async () => {
  const ended = await installation.postrider(["doctor"], {
    ...external("postgres://me:hunter2@127.0.0.1:1/postrider"),
    SMTP_URL: "smtp://me:hunter2@127.0.0.1:1",
    HOST: "0.0.0.0",
  });
  assert.equal(ended.code, 1);
  assert.match(ended.stdout, /^✓ node /m);
  assert.match(ended.stdout, /^! addresses +HOST is 0\.0\.0\.0 and BASE_URL is absent.*\n +→ set BASE_URL/m);
  assert.match(ended.stdout, /^✗ relay +127\.0\.0\.1:1 can't be reached \(connect ECONNREFUSED/m);
  assert.match(
    ended.stdout,
    /^✗ database +the database at 127.0.0.1:1 can't be reached.*\n +→ check that it runs/m,
  );
  assert.ok(!(ended.stdout + ended.stderr).includes("hunter2"));
});

function external(url: string): Record<string, string> {
  return { DATABASE_URL: url, SECRET_KEY: KEY };
}
