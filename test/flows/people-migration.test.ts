/** The migration that takes people out of accounts keeps every user, session and link of before. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createPasswords } from "../../src/accounts/people/people.ts";
import { hashToken, makeToken } from "../../src/accounts/token-format.ts";
import { MIGRATIONS } from "../../src/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { isUniqueViolation } from "../../src/platform/db/errors.ts";
import { migrate } from "../../src/platform/db/migrate.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { agreeOnSecrets } from "../../src/platform/instance.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, TEST_SECRET_KEY, type TestApp } from "../support/app.ts";
import { emptyDatabase } from "../support/database.ts";
import { openBrowser, PASSWORD, signIn } from "../support/people.ts";

const log = createLog({ level: "silent", pretty: false });
const THIS = "0072_people.sql";
const now = new Date("2026-11-01T09:00:00.000Z");
const ids = { one: newId(systemClock), two: newId(systemClock) };
const users = {
  owner: { id: newId(systemClock), account: ids.one, role: "owner", email: "Owner@Example.com" },
  member: { id: newId(systemClock), account: ids.one, role: "member", email: "member@example.com" },
  invited: { id: newId(systemClock), account: ids.two, role: "member", email: "invited@example.com" },
};
const tokens = {
  session: makeToken("prs_", ids.one),
  previous: makeToken("prs_", ids.one),
  invitation: makeToken("prl_", ids.two),
  firstOwner: makeToken("prl_", ids.two),
};

let database: Awaited<ReturnType<typeof emptyDatabase>>;
let db: Db;
let app: TestApp;
before(async () => {
  database = await emptyDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 2,
    applicationName: "people migration test",
    log,
    statementTimeoutMs: 10_000,
  });
  const folder = mkdtempSync(join(tmpdir(), "postrider-before-people-"));
  for (const file of readdirSync(MIGRATIONS).filter((name) => name < THIS)) {
    copyFileSync(join(MIGRATIONS, file), join(folder, file));
  }
  await migrate(database.url, folder, log);
  rmSync(folder, { recursive: true });
  await agreeOnSecrets(db, createSecrets([TEST_SECRET_KEY]));
  await fill();
  await migrate(database.url, MIGRATIONS, log);
  app = await createApp({ databaseUrl: database.url });
});
after(async () => {
  await app.stop();
  await db.close();
  await database.drop();
});

const insertUser = (user: (typeof users)[keyof typeof users], hash: string | null) =>
  db.execute(sql`
    insert into users (account_id, id, email, email_key, name, role, password_hash, created_at, updated_at)
    values (${user.account}, ${user.id}, ${user.email}, ${user.email.toLowerCase()}, 'Ada', ${user.role}, ${hash},
            ${now}, ${now})`);

async function fill(): Promise<void> {
  const hash = await createPasswords().hash(PASSWORD);
  for (const id of Object.values(ids)) {
    await db.execute(sql`
      insert into accounts (account_id, name, time_zone, created_at, updated_at)
      values (${id}, 'Acme', 'UTC', ${now}, ${now})`);
  }
  await insertUser(users.owner, hash);
  await insertUser(users.member, hash);
  await insertUser(users.invited, null);
  // The same address in two accounts was never possible, so no two passwords ever have to become one.
  const again = { ...users.owner, id: newId(systemClock), account: ids.two };
  await assert.rejects(insertUser(again, hash), (error) => isUniqueViolation(error, "users_by_email"));
  const later = new Date(Date.now() + 86_400_000);
  const fresh = new Date();
  await db.execute(sql`
    insert into sessions (account_id, id, user_id, token_hash, previous_hash, rotated_at, created_at, last_seen_at, expires_at)
    values (${ids.one}, ${newId(systemClock)}, ${users.owner.id}, ${hashToken(tokens.session)},
            ${hashToken(tokens.previous)}, ${fresh}, ${fresh}, ${fresh}, ${later})`);
  for (const [userId, token] of [
    [users.invited.id, tokens.invitation],
    [null, tokens.firstOwner],
  ] as const) {
    await db.execute(sql`
      insert into user_links (account_id, id, user_id, purpose, token_hash, created_at, expires_at)
      values (${ids.two}, ${newId(systemClock)}, ${userId}, 'setup', ${hashToken(token)}, ${fresh}, ${later})`);
  }
}

test("every user is a person and a membership, and a member is a marketer", async () => {
  const rows = await db.many(sql`
    select users.id, account_id, role, name, email, password_hash is not null as has_password, joined_at
    from users join people on people.id = person_id order by email_key`);
  assert.deepEqual(rows, [
    { ...row(users.invited), role: "marketer", has_password: false, joined_at: null },
    { ...row(users.member), role: "marketer", has_password: true, joined_at: now },
    { ...row(users.owner), role: "owner", has_password: true, joined_at: now },
  ]);
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count from people`);
  assert.equal(count, 3);
});

const row = ({ id, account, email }: (typeof users)[keyof typeof users]) => ({
  id,
  account_id: account,
  name: "Ada",
  email,
});

test("a cookie of before still opens its account, also the one before it", async () => {
  for (const token of [tokens.session, tokens.previous]) {
    const reply = await openBrowser(app, token).send("GET", "/v1/session");
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.account_id, toPublicId("acc", ids.one));
    assert.equal(reply.body.user.id, toPublicId("usr", users.owner.id));
  }
});

test("passwords are as they were", async () => {
  assert.equal((await signIn(app, "owner@example.com")).reply.status, 201);
  assert.equal((await signIn(app, "member@example.com")).reply.body.user.role, "marketer");
  assert.equal((await signIn(app, "invited@example.com")).reply.status, 401);
});

test("links of before do what they were made for", async () => {
  const redeem = (body: object) => openBrowser(app).send("POST", "/v1/password_links/redeem", body);
  const invited = await redeem({ token: tokens.invitation, password: PASSWORD });
  assert.deepEqual([invited.status, invited.body.user.role], [201, "marketer"], invited.text);
  const owner = await redeem({ token: tokens.firstOwner, password: PASSWORD, email: "second@example.com" });
  assert.deepEqual([owner.status, owner.body.user.role], [201, "owner"], owner.text);
});
