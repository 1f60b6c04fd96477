/** The deletion of an account: who may ask for it, what it stops, how it is taken back, and that nothing of the account is left. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deleteDueAccounts } from "../../src/account-data/deleting/deleting.ts";
import { ROLES } from "../../src/accounts/accounts.ts";
import { storeInbound } from "../../src/inbound/intake/store-inbound.ts";
import type { Db } from "../../src/platform/db/db.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import { fromPublicId, newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { askedOfOthers } from "../../src/tracking/counting/counter.fixture.ts";
import { countSlice } from "../../src/tracking/counting/counter.ts";
import { insertHits } from "../../src/tracking/hits/hit-store.ts";
import { fillEveryTable, readEverything, tablesWithAccount } from "../support/account-rows.ts";
import { createApp, TEST_SECRET_KEY, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { addPerson, joinAs, type Person } from "../support/people.ts";
import { settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

/** What is kept of an account that is gone, and why. */
const KEPT: Readonly<Record<string, string>> = {
  account_deletions: "it says that an account of this id was deleted and when, and nothing else",
};
const KINDS = [
  ...[
    "key",
    "inv",
    "lst",
    "sub",
    "fld",
    "top",
    "seg",
    "imp",
    "blk",
    "exp",
    "cmp",
    "dom",
    "trn",
    "mbx",
    "iep",
  ],
  ...["fil", "frm", "tpl", "sec", "whk", "sup", "msg", "inb", "alr", "stm", "whd", "mtt", "usr"],
];
const DAY_MS = 24 * 3_600_000;
const PATH = "/v1/account/deletion";
const log = createLog({ level: "silent", pretty: false });

let app: TestApp;
const clock = createTestClock();
before(async () => {
  // Nothing runs beside the tests, so that what they compare changes by the deletion alone.
  app = await createApp({ clock, settings: { ROLES: "api" }, writesOwnEvents: true });
});
after(() => app.stop());

type Account = { accountId: string; key: string; owner: Person };

let made = 0;
async function addAccount(): Promise<Account> {
  const account = await app.addAccount();
  const owner = await addPerson(app, `owner${++made}@example.com`, "owner", account.key);
  return { ...account, owner };
}

function run(db: Db = app.db) {
  return deleteDueAccounts({ db, clock, log, signal: new AbortController().signal });
}

async function nameOf({ key }: Account): Promise<string> {
  return (await app.api("GET", "/v1/account", { key })).body.name;
}

async function ask(account: Account): Promise<void> {
  const reply = await account.owner.browser.send("POST", PATH, { name: await nameOf(account) });
  assert.equal(reply.status, 201, reply.text);
}

async function tablesLeft(accountId: string): Promise<readonly string[]> {
  const all = await readEverything(app.db, accountId);
  return Object.keys(all).filter((table) => (all[table]?.length ?? 0) > 0);
}

test("owners alone ask for it, as people, by the account's name", async () => {
  const account = await addAccount();
  for (const role of ROLES.filter((one) => one !== "owner")) {
    const { browser } = await addPerson(app, `${role}${++made}@example.com`, role, account.key);
    for (const [method, body] of [["POST", { name: "Another" }], ["DELETE"]] as const) {
      const reply = await browser.send(method, PATH, body);
      assert.deepEqual([reply.status, reply.body.required_scope], [403, "full"], role);
    }
    assert.equal((await browser.send("GET", PATH)).status, 404);
  }
  const { browser } = account.owner;
  for (const name of ["", "another", "Another one", "Other"]) {
    const reply = await browser.send("POST", PATH, { name });
    assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, "/name"], name);
  }
  const byKey = await app.api("POST", PATH, { key: account.key, body: { name: "Another" } });
  assert.deepEqual([byKey.status, byKey.body.code], [404, "no_session"]);
  await app.db.execute(sql`
    update sessions set confirmed_at = null from users
    where users.person_id = sessions.person_id and users.id = ${fromPublicId("usr", account.owner.id)}`);
  const unconfirmed = await browser.send("POST", PATH, { name: "Another" });
  assert.deepEqual([unconfirmed.status, unconfirmed.body.code], [403, "confirmation_required"]);
  assert.equal((await browser.send("GET", PATH)).status, 404);
});

test("while it is pending nothing changes, reading and exporting work, and it can be taken back", async () => {
  const account = await addAccount();
  const other = await addAccount();
  const { key, owner } = account;
  await ask(account);
  const { body } = await owner.browser.send("GET", PATH);
  assert.deepEqual(
    [body.status, body.requested_by, body.due_at],
    ["pending", owner.id, new Date(clock.now().getTime() + 14 * DAY_MS).toISOString()],
  );
  // Whoever has the key in a cache hears of both by a notification.
  const addList = (name: string) => app.api("POST", "/v1/lists", { key, body: { name } });
  await until(async () => (await addList("No")).body.code === "deletion_pending");
  assert.equal((await addList("No")).status, 403);
  assert.equal((await app.api("GET", "/v1/lists", { key })).status, 200);
  const exported = await owner.browser.send("GET", "/v1/account/export");
  assert.equal(exported.status, 200);
  assert.match(exported.text, /"object":"account_deletion"/);
  const again = await owner.browser.send("POST", PATH, { name: "Another" });
  assert.deepEqual([again.status, again.body.due_at], [200, body.due_at]);
  assert.equal((await other.owner.browser.send("GET", PATH)).status, 404, "another account's is not theirs");
  assert.equal((await other.owner.browser.send("DELETE", PATH)).status, 404);
  const foreign = await other.owner.browser.send("DELETE", PATH, undefined, {
    "postrider-account": (await app.api("GET", "/v1/account", { key })).body.id,
  });
  assert.equal(foreign.status, 404);
  await run();
  assert.equal((await owner.browser.send("DELETE", PATH)).status, 204);
  assert.equal((await owner.browser.send("DELETE", PATH)).status, 404);
  await until(async () => (await addList("Yes")).status === 201);
  await settled(app);
  const { body: events } = await app.api("GET", "/v1/events", { key });
  const types = events.data.map((event: { type: string }) => event.type);
  assert.ok(types.includes("account.deletion_requested") && types.includes("account.deletion_canceled"));
  const { body: audit } = await app.api("GET", "/v1/audit?action=account.*", { key });
  assert.equal(audit.data.filter(({ action }: { action: string }) => /deletion_/.test(action)).length, 2);
});

test("when its time has come nothing is left, and a neighbour loses nothing, wherever the work stopped", async () => {
  const [account, neighbour] = [await addAccount(), await addAccount()];
  for (const { key } of [account, neighbour]) for (const kind of KINDS) await makeFixture(app, key, kind);
  const logo = await makeFixture(app, account.key, "fil");
  const branded = await app.api("PATCH", "/v1/account", {
    key: account.key,
    body: { branding: { logo_file_id: logo } },
  });
  assert.equal(branded.status, 200, branded.text);
  const alone = await addPerson(app, "alone@example.com", "viewer", account.key);
  const shared = await addPerson(app, "shared@example.com", "admin", account.key);
  await joinAs(app, shared, neighbour.key);
  await ask(account);
  const apart = ["account_holds", "account_deletions"];
  const { accountId } = account;
  assert.deepEqual(await fillEveryTable(app.db, accountId, []), []);
  assert.deepEqual(await fillEveryTable(app.db, neighbour.accountId, apart), []);
  const all = [...(await tablesWithAccount(app.db)).keys()];
  assert.deepEqual(await tablesLeft(accountId), all, "every table has something to delete");
  const before = await standing(neighbour.accountId);
  clock.advance(14 * DAY_MS - 1);
  await run();
  assert.ok((await tablesLeft(accountId)).includes("subscribers"), "not a moment too early");
  clock.advance(1);
  let crashes = 0;
  for (let allowed = 1; ; allowed += 6) {
    const done = await run(crashing(app.db, allowed)).then(
      () => true,
      (error: Error) => assert.equal(error.message, "crashed"),
    );
    if (done) break;
    crashes++;
    if (crashes !== 1) continue;
    const late = await account.owner.browser.send("DELETE", PATH);
    assert.ok([401, 404, 409].includes(late.status), "it can't be taken back any more");
  }
  assert.ok(crashes > 5);
  assert.deepEqual(await tablesLeft(accountId), Object.keys(KEPT));
  const { rest } = await app.db.one<{ rest: Record<string, unknown> }>(sql`
    select to_jsonb(d) as rest from account_deletions d where account_id = ${accountId}`);
  assert.equal(rest["requested_by"], null);
  assert.deepEqual(await standing(neighbour.accountId), before);
  const { jobs } = await app.db.one<{ jobs: number }>(sql`
    select count(*) as jobs from graphile_worker._private_jobs where payload ->> 'account_id' = ${accountId}`);
  assert.equal(jobs, 0);
  const people = await app.db.many<{ email: string }>(sql`
    select email from people where email in ('alone@example.com', 'shared@example.com', ${account.owner.email})`);
  assert.deepEqual(people, [{ email: "shared@example.com" }]);
  const sessions = await app.db.many(sql`
    select from sessions where not exists (select from people where people.id = sessions.person_id)`);
  assert.equal(sessions.length, 0);
  assert.equal((await alone.browser.send("GET", "/v1/session")).status, 401);
  assert.equal((await app.api("GET", "/v1/account", { key: account.key })).status, 401);
});

test("what comes after an account is gone is removed a day later", async () => {
  const account = await addAccount();
  await ask(account);
  clock.advance(14 * DAY_MS);
  await run();
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions"]);
  await app.db.execute(sql`
    insert into contact_pauses (account_id, contact_id, until) values (${account.accountId}, gen_random_uuid(), now())`);
  await run();
  assert.ok((await tablesLeft(account.accountId)).includes("contact_pauses"));
  clock.advance(DAY_MS + 1);
  await run();
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions"]);
});

test("what comes back by mail for an account that is gone is taken and thrown away", async () => {
  const [account, neighbour] = [await addAccount(), await addAccount()];
  await ask(account);
  clock.advance(14 * DAY_MS);
  await run();
  const secrets = createSecrets([TEST_SECRET_KEY]);
  const item = (accountId: string) => ({
    accountId,
    channel: "smtp" as const,
    channelId: null,
    provider: null,
    envelopeFrom: "",
    addressed: null,
    raw: Buffer.from("Subject: Returned"),
  });
  const items = [account, neighbour].map(({ accountId }) => item(accountId));
  const stored = await app.db.transaction((tx) => storeInbound(tx, { secrets, clock }, items));
  assert.deepEqual(
    stored.map((id) => id !== undefined),
    [false, true],
  );
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions"]);
});

test("whoever gets in while it is emptied is shut out too, and goes with the account", async () => {
  const [account, other] = [await addAccount(), await addAccount()];
  await ask(account);
  clock.advance(14 * DAY_MS);
  const late = await addPerson(app, "late@example.com", "viewer", other.key);
  await app.db.execute(sql`delete from user_links where user_id = ${fromPublicId("usr", late.id)}`);
  let begun = 0;
  const db: Db = {
    ...app.db,
    async transaction(work) {
      const done = await app.db.transaction(work);
      // The first transaction shuts everybody out.
      if (begun++ === 0)
        await app.db.execute(sql`
          update users set account_id = ${account.accountId} where id = ${fromPublicId("usr", late.id)}`);
      return done;
    },
  };
  await run(db);
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions"]);
  const people = await app.db.many(sql`select from people where email = 'late@example.com'`);
  assert.equal(people.length, 0);
});

test("an account that can't be emptied keeps no other one waiting", async () => {
  const unswept = await addAccount();
  await ask(unswept);
  clock.advance(14 * DAY_MS);
  await run();
  const [stuck, other] = [await addAccount(), await addAccount()];
  await app.db.execute(sql`
    insert into contact_pauses (account_id, contact_id, until) values (${unswept.accountId}, gen_random_uuid(), now())`);
  for (const account of [stuck, other]) {
    clock.advance(1_000);
    await ask(account);
  }
  await comeBack("contact_pauses", stuck.accountId);
  await app.db.execute(sql`
    insert into contact_pauses (account_id, contact_id, until) values (${stuck.accountId}, gen_random_uuid(), now())`);
  clock.advance(14 * DAY_MS);
  await assert.rejects(run(), /came as fast as they were removed/);
  assert.deepEqual(await tablesLeft(other.accountId), ["account_deletions"]);
  assert.deepEqual(await tablesLeft(unswept.accountId), ["account_deletions"]);
  assert.ok((await tablesLeft(stuck.accountId)).includes("accounts"));
  await app.db.execute(sql`drop trigger come_back on contact_pauses`);
  await run();
  assert.deepEqual(await tablesLeft(stuck.accountId), ["account_deletions"]);
});

test("whoever fetches the pixel of an old mail again and again doesn't keep an account, and is never counted", async () => {
  const account = await addAccount();
  await ask(account);
  await comeBack("hits", account.accountId);
  await hit(account.accountId);
  clock.advance(14 * DAY_MS);
  await run();
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions", "hits"]);
  await app.db.execute(sql`drop trigger come_back on hits`);
  await countAll();
  assert.deepEqual(await tablesLeft(account.accountId), ["account_deletions"]);
  clock.advance(2 * DAY_MS);
  await run();
  await hit(account.accountId);
  await countAll();
  assert.deepEqual(
    await tablesLeft(account.accountId),
    ["account_deletions"],
    "nor long after the last sweep",
  );
});

test("owners are told by mail when it is asked for and when it is taken back, though the account sends nothing", async () => {
  const running = await createApp();
  try {
    const owner = await addPerson(running, "told@example.com", "owner");
    const { body: account } = await running.api("GET", "/v1/account");
    const subjects = async () => {
      const { body } = await running.api("GET", "/v1/sandbox/messages?to=told@example.com");
      return body.data.map(({ subject }: { subject: string }) => subject).join("\n");
    };
    assert.equal((await owner.browser.send("POST", PATH, { name: account.name })).status, 201);
    await until(async () => (await subjects()).includes("will be deleted"));
    assert.equal((await owner.browser.send("DELETE", PATH)).status, 204);
    await until(async () => (await subjects()).includes("will not be deleted"));
  } finally {
    await running.stop();
  }
});

/** Makes rows of the account come again as soon as they are removed. */
async function comeBack(table: "hits" | "contact_pauses", accountId: string): Promise<void> {
  await app.db.execute(
    raw(`
      create or replace function come_back() returns trigger language plpgsql as $$
      begin execute format('insert into %I select ($1).*', tg_argv[0]) using old; return null; end $$`),
  );
  await app.db.execute(
    raw(`
      create trigger come_back after delete on ${table} for each row when (old.account_id = '${accountId}')
      execute function come_back('${table}')`),
  );
}

async function hit(accountId: string): Promise<void> {
  const hits = [null, newId(clock)].map((contactId) => ({
    accountId,
    sourceId: newId(clock),
    contactId,
    link: null,
    at: clock.now(),
    times: 1,
    isHead: false,
    isPrefetch: false,
    hasFrom: false,
    userAgent: "a person",
    address: "192.0.2.1",
  }));
  await insertHits(app.db, { id: newId(clock), hits }, clock.now());
}

async function countAll(): Promise<void> {
  clock.advance(60_000);
  await countSlice({ db: app.db, clock, log, ...askedOfOthers });
}

/** Everything of an account but when its keys were last used, which the process notes by itself. */
async function standing(accountId: string) {
  const all = await readEverything(app.db, accountId);
  const keys = (all["api_keys"] ?? []).map((row) => ({ ...JSON.parse(row), last_used_at: null }));
  return { ...all, api_keys: keys };
}

/** Allows so many transactions, and then is as a process that was killed. */
function crashing(db: Db, allowed: number): Db {
  let begun = 0;
  return {
    ...db,
    async transaction(work) {
      if (begun++ >= allowed) throw new Error("crashed");
      return db.transaction(work);
    },
  };
}
