/** A thousand random pauses, resumes and cancels are made while two processes send several campaigns. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertAgree, countTwice } from "../support/delivery.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const ACTIONS = 1_000;
/** The number of clients that act at the same time. */
const HANDS = 8;
const ACCOUNTS = 4;
const PEOPLE = 900;
/** The sandbox keeps 5,000 messages of an account, and all of them are counted in the end. */
const CAMPAIGNS_EACH = 4;

let apps: readonly [TestApp, TestApp];
before(async () => {
  const first = await createApp({ logLevel: "warn" });
  apps = [first, await createApp({ logLevel: "warn", databaseUrl: first.databaseUrl })];
});
after(async () => {
  await apps[1].stop();
  await apps[0].stop();
});

type Account = {
  readonly id: string;
  readonly listId: string;
  readonly campaigns: string[];
  ask(via: TestApp, method: string, path: string, body?: Json): ReturnType<TestApp["api"]>;
};

async function openAccount(): Promise<Account> {
  const [app] = apps;
  const { accountId: id, key } = await app.addAccount();
  const listId = await makeList(app, {}, key);
  const ask: Account["ask"] = (via, method, path, body) =>
    via.api(method, path, { key, ...(body && { body }) });
  const emails = Array.from({ length: PEOPLE - 2 }, (_, n) => `person${n}@example.com`);
  emails.push("bounce@example.com", "defer@example.com");
  for (let from = 0; from < PEOPLE; from += PEOPLE / 2) {
    const subscribers = emails.slice(from, from + PEOPLE / 2).map((email) => ({ email, list_id: listId }));
    assert.equal((await ask(app, "POST", "/v1/subscribers/batch", { subscribers })).status, 200);
  }
  return { id, listId, campaigns: [], ask };
}

async function sendNext({ listId, campaigns, ask }: Account): Promise<void> {
  if (campaigns.length === CAMPAIGNS_EACH) return;
  const body = { name: "News", list_id: listId, subject: "News", html: "<p>News for {{ email }}</p>" };
  const place = campaigns.push("") - 1;
  const { id } = (await ask(apps[0], "POST", "/v1/campaigns", body)).body;
  const sent = await ask(apps[1], "POST", `/v1/campaigns/${id}/send`);
  assert.equal(sent.status, 202, sent.text);
  campaigns[place] = id;
}

const assertCounts = async (account: Account, id: string) =>
  assertAgree(await countTwice(apps[0], account.id, uuidOf("cmp", id)));

const actions = fc.sample(
  fc.record({
    at: fc.nat(ACCOUNTS - 1),
    act: fc.constantFrom(...Array(40).fill(["pause", "resume"]).flat(), "cancel"),
    via: fc.constantFrom<0 | 1>(0, 1),
  }),
  ACTIONS,
);

test("a thousand pauses, resumes and cancels lose nobody, double nobody, and every sum holds on the way", async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, openAccount));
  await Promise.all(accounts.map(sendNext));
  const done: Record<string, number> = {};
  const left = actions.entries();
  const hand = async () => {
    for (const [turn, { at, act, via }] of left) {
      const account = accounts[at] as Account;
      const id = account.campaigns.findLast((one) => one !== "") ?? "";
      const { status, body, text } = await account.ask(apps[via], "POST", `/v1/campaigns/${id}/${act}`);
      // A 503 is answered where the machine stood still for as long as a statement may take.
      const isRefused = (status === 409 && body.code === "invalid_state") || status === 503;
      assert.ok(status === 200 || isRefused, text);
      const outcome = status === 200 ? act : "refused";
      done[outcome] = (done[outcome] ?? 0) + 1;
      if (turn % 20 === 0) await assertCounts(account, id);
      const isOver = ["sent", "canceled"].includes(status === 200 ? body.status : body.current_status);
      if (isOver && account.campaigns.at(-1) === id) await sendNext(account);
    }
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
  const took = { pause: 0, resume: 0, cancel: 0, ...done };
  assert.ok(took.pause > 50 && took.resume > 50 && took.cancel > 1, JSON.stringify(done));

  const all = accounts.flatMap((account) => account.campaigns.map((id) => ({ account, id })));
  for (const { account, id } of all) await account.ask(apps[0], "POST", `/v1/campaigns/${id}/resume`);
  await until(async () => {
    const answers = await Promise.all(
      all.map(({ account, id }) => account.ask(apps[1], "GET", `/v1/campaigns/${id}/stats`)),
    );
    return answers.every(({ body }) => body.queued === 0 && ["sent", "canceled"].includes(body.status));
  });
  for (const { account, id } of all) await assertAllAccounted(account, id);
  await assertNobodyTwice();
  const { deadlocks } = await apps[0].db.one<{ deadlocks: number }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(deadlocks, 0);
});

/** Asserts by the ledger that there is one row for each person who was to be mailed. */
async function assertAllAccounted(account: Account, id: string): Promise<void> {
  await assertCounts(account, id);
  const { body } = await account.ask(apps[0], "GET", `/v1/campaigns/${id}/stats`);
  const { status, recipients, sent, failed, skipped } = body;
  assert.equal(sent + failed + skipped.canceled, recipients);
  // The person who bounced in the first campaign isn't mailed by the others.
  if (status === "sent") assert.ok(recipients === PEOPLE || recipients === PEOPLE - 1, `${recipients}`);
}

/** Asserts by the sandbox that there is one message for each row that says `sent`, and no other. */
async function assertNobodyTwice(): Promise<void> {
  type One = { one: string };
  const { db } = apps[0];
  const sent = await db.many<One>(sql`
    select source_id || ' ' || contact_id as one from deliveries where state = 'sent' order by 1`);
  const caught = await db.many<One>(sql`
    select owner_id || ' ' || contact_id as one from sandbox_messages where owner_id is not null order by 1`);
  assert.equal(caught.length, sent.length, apps.flatMap(({ logs }) => logs).join(""));
  assert.ok(caught.every(({ one }, at) => one === sent[at]?.one));
}
