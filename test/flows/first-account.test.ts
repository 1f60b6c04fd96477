/** The first account of an instance may be deleted, and no customer inherits what it alone may do. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deleteDueAccounts } from "../../src/account-data/deleting/deleting.ts";
import { createFirstAccount, getAccount } from "../../src/accounts/accounts.ts";
import { MIGRATIONS } from "../../src/database.ts";
import { createInstanceKeys } from "../../src/domains/keys/instance-keys.ts";
import { loadDkimKey } from "../../src/mail/dkim/dkim.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { migrate } from "../../src/platform/db/migrate.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, TEST_SECRET_KEY, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { emptyDatabase } from "../support/database.ts";
import { addPerson, type Person } from "../support/people.ts";
import { makeInstallation } from "../support/process.ts";

const DAY_MS = 24 * 3_600_000;
const HEALTH = "/v1/instance/health";
const log = createLog({ level: "silent", pretty: false });
const installation = makeInstallation();
const clock = createTestClock();

let app: TestApp;
let neighbour: { accountId: string; key: string; owner: Person };
before(async () => {
  app = await createApp({ clock, settings: { ROLES: "api" }, writesOwnEvents: true });
  clock.advance(1_000);
  const account = await app.addAccount();
  neighbour = { ...account, owner: await addPerson(app, "neighbour@example.com", "owner", account.key) };
});
after(async () => {
  await app.stop();
  await installation.clear();
});

async function deleteAccount({ browser }: Person): Promise<void> {
  const { body } = await browser.send("GET", "/v1/account");
  const asked = await browser.send("POST", "/v1/account/deletion", { name: body.name });
  assert.equal(asked.status, 201, asked.text);
  clock.advance(14 * DAY_MS);
  await deleteDueAccounts({ db: app.db, clock, log, signal: new AbortController().signal });
}

function postrider(...args: string[]) {
  return installation.postrider(args, { DATABASE_URL: app.databaseUrl, SECRET_KEY: TEST_SECRET_KEY });
}

test("the next-oldest account is told nothing of the instance when the first one is gone", async () => {
  assert.equal((await app.api("GET", "/v1/instance")).body.may_read_health, true);
  await deleteAccount(await addPerson(app, "first@example.com", "owner"));
  assert.equal((await app.api("GET", "/v1/instance")).status, 401, "the first account is gone");
  const { key } = neighbour;
  assert.equal((await app.api("GET", "/v1/instance", { key })).body.may_read_health, false);
  const health = await app.api("GET", HEALTH, { key });
  assert.deepEqual([health.status, health.body.code], [403, "operator_only"]);
  assert.equal(await getAccount(app.db, undefined), undefined);
});

test("it signs with no key of the operator's that names no account", async () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const loaded = loadDkimKey({ domain: "example.org", selector: "mail", pem });
  assert.ok(loaded.ok);
  const find = createInstanceKeys([{ key: loaded.key, accounts: "first" }]);
  assert.deepEqual(await find(app.db, neighbour.accountId, "example.org"), []);
});

test("commands that name no account say that they need one", async () => {
  const refused = await postrider("users", "create", "--email", "boss@example.com", "--role", "owner");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /the first account of this instance was deleted.*--account/s);
  const named = toPublicId("acc", neighbour.accountId);
  const done = await postrider("users", "create", "--email", "boss@example.com", "--account", named);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
});

test("a start makes no account while there is one, and a new first one when there is none", async () => {
  assert.equal(await app.db.transaction((tx) => createFirstAccount(tx, clock)), undefined);
  await deleteAccount(await addPerson(app, "last@example.com", "owner", neighbour.key));
  const again = await createApp({ clock, databaseUrl: app.databaseUrl, settings: { ROLES: "api" } });
  assert.notEqual(again.setupLink, "");
  assert.equal((await again.api("GET", "/v1/instance")).body.may_read_health, true);
  await again.stop();
});

test("the migration takes the oldest account of a database, or none where that was deleted before", async () => {
  const THIS = "0088_first_account.sql";
  for (const isGone of [false, true]) {
    const database = await emptyDatabase();
    const applicationName = "first account migration test";
    const db = createDb({
      connection: database.url,
      poolSize: 2,
      applicationName,
      log,
      statementTimeoutMs: 10_000,
    });
    const folder = mkdtempSync(join(tmpdir(), "postrider-before-first-"));
    for (const file of readdirSync(MIGRATIONS).filter((name) => name < THIS))
      copyFileSync(join(MIGRATIONS, file), join(folder, file));
    await migrate(database.url, folder, log);
    rmSync(folder, { recursive: true });
    const ids = [1, 2, 3].map((n) => ({
      id: newId({ ...systemClock, now: () => new Date(n) }),
      at: new Date(n),
    }));
    const [oldest] = ids;
    await db.execute(sql`insert into instance (secret_fingerprint) values ('test')`);
    for (const { id, at } of ids)
      await db.execute(sql`
        insert into accounts (account_id, name, time_zone, created_at, updated_at)
        values (${id}, 'One', 'UTC', ${at}, ${at})`);
    if (isGone) {
      await db.execute(sql`delete from accounts where account_id = ${oldest?.id}`);
      await db.execute(sql`
        insert into account_deletions (account_id, requested_at, due_at, started_at, deleted_at)
        values (${oldest?.id}, now(), now(), now(), now())`);
    }
    await migrate(database.url, MIGRATIONS, log);
    assert.equal((await getAccount(db, undefined))?.account_id, isGone ? undefined : oldest?.id);
    await db.close();
    await database.drop();
  }
});
