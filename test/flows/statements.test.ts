/** Statements: what a period costs is written once, exactly, with a proof of what its mails were, whoever closes it and whatever is known late. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { closeStatements } from "../../src/billing/statements/close-statements.ts";
import { settleByEvidence } from "../../src/delivery/delivery.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { addPerson } from "../support/people.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage, assertUsageAgrees } from "../support/usage.ts";

const START = new Date("2027-01-31T09:30:00.000Z");
const NOBODY = "01k9zq4t3xe8k8y0v6d3m2n1pq";
const PLAN = {
  ...{ name: "Growth", price: "29.00", currency: "EUR", included_mails: 1_000 },
  ...{ overage_per_1000: "0.95", at_limit: "overage" },
};
const clock = createTestClock(START);
const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let relay: Relay;
let operator: string;
before(async () => {
  relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
  const SMTP_URL = `smtp://127.0.0.1:${relay.port}`;
  app = await createApp({
    clock,
    served: WITH_UNSUBSCRIBE,
    settings: {
      SMTP_URL,
      PUBLIC_URL: "https://mail.example.com",
      BILLING_ISSUER: "Relay & Sons; 1 <High> Street; Leeds",
    },
  });
  operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
});
after(async () => {
  await app.stop();
  await relay.close();
});

const goTo = (at: string | Date) => clock.step(new Date(at).getTime() - clock.now().getTime());
const send = (method: string, path: string, body?: Json) =>
  app.api(method, `/v1/instance/${path}`, { key: operator, ...(body && { body }) });
async function makePlan(more: Json = {}): Promise<string> {
  const made = await send("POST", "plans", { ...PLAN, ...more });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** Closes all that is over, also where the app's own timer is at it just now. */
async function closeAll(): Promise<void> {
  await until(async () => {
    await closeStatements({ db: app.db, clock, log, signal: { aborted: false } });
    const by = new Date(clock.now().getTime() - 15 * 60_000);
    const due = await app.db.many(sql`select from billing_subscriptions where statement_due_at <= ${by}`);
    return due.length === 0;
  });
}

function accountOf(id: string, key: string) {
  const path = `accounts/${toPublicId("acc", id)}`;
  const ask = async (rest = "") => {
    const reply = await app.api("GET", `/v1/usage/statements${rest}`, { key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body as Json;
  };
  return {
    id,
    key,
    path,
    ask,
    list: async (query = "") => (await ask(query)).data as Json[],
    async put(body: Json) {
      const put = await send("PUT", `${path}/subscription`, body);
      assert.equal(put.status, 200, put.text);
      return put.body as Json;
    },
    give: (body: Json) => send("POST", `${path}/credits`, { reason: "Sorry", ...body }),
    billing: async () => (await app.api("GET", "/v1/billing", { key })).body as Json,
  };
}

async function makeAccount() {
  const { accountId, key } = await app.addAccount();
  return accountOf(accountId, key);
}

const lineOf = ({ kind, stream, mails, included, credited, charged, amount }: Json) =>
  [kind, stream, mails, included, credited, charged, amount].filter((one) => one !== undefined);

/** Adds up the mails of all statements, open and closed, and the account's usage. */
async function compareSums({ id, list }: Pick<ReturnType<typeof accountOf>, "id" | "list">) {
  const statements = await list("?limit=200");
  const { sent } = await app.db.one<{ sent: number }>(sql`
    select coalesce(sum(sent), 0)::int as sent from usage_hours where account_id = ${id} and via <> 'sandbox'`);
  return [statements.reduce((sum, { mails }) => sum + mails, 0), sent];
}

/** Reads a whole proof page by page, and holds it against its statement. */
async function proofOf({ ask }: Pick<ReturnType<typeof accountOf>, "ask">, id: string): Promise<Json[]> {
  const sources: Json[] = [];
  for (let cursor = ""; ; ) {
    const page = await ask(`/${id}/proof?limit=2${cursor && `&cursor=${cursor}`}`);
    sources.push(...page.sources);
    assert.deepEqual([page.object, page.statement_id], ["statement_proof", id]);
    if (page.has_more) cursor = page.next_cursor;
    else break;
  }
  const { mails } = await ask(`/${id}`);
  assert.equal(
    sources.reduce((sum, { accepted }) => sum + accepted, 0),
    mails,
  );
  return sources;
}

describe("a statement of mail that was sent", () => {
  test("has a proof that adds up, equal to the stats of campaigns, and keeps it; what is known late is in the next", async () => {
    goTo(START);
    const account = accountOf(uuidOf("acc", app.accountId), app.key);
    await account.put({ plan_id: await makePlan({ included_mails: 5 }), tax: { label: "VAT", rate: "19" } });
    const listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 Road" });
    const subscribers = ["ada", "bea", "cleo"].map((name) => ({
      email: `${name}@fine.example`,
      list_id: listId,
    }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    const first = await sendCampaign(app, listId, { name: "First" });
    clock.advance(1);
    const second = await sendCampaign(app, listId, { name: '=Second, "quoted"' });
    const mail = { from: "shop@acme.example", to: ["ada@fine.example"], subject: "Receipt", text: "Paid" };
    assert.equal((await app.api("POST", "/v1/emails", { body: mail })).status, 202);
    await until(async () => (await account.list())[0]?.["mails"] === 7);

    const [open] = await account.list();
    assert.ok(open);
    assert.deepEqual([open["state"], open["closed_at"], open["total"]], ["open", null, "34.51"]);
    assert.deepEqual(open["lines"].map(lineOf), [
      ["base", "29.00"],
      ["mails", "campaign", 6, 5, 0, 1, "0.00"],
      ["mails", "transactional", 1, 0, 0, 1, "0.00"],
      ["tax", "5.51"],
    ]);
    assert.deepEqual((await account.billing())["statement"], {
      ...open,
      updated_at: clock.now().toISOString(),
    });
    const live = await proofOf(account, open["id"]);

    goTo("2027-02-28T09:14:59Z");
    await closeAll();
    assert.deepEqual((await account.list("?state=closed")).length, 0, "it is closed some time after its end");
    goTo("2027-02-28T09:15:00Z");
    await closeAll();
    const [closed] = await account.list("?state=closed");
    assert.ok(closed);
    assert.deepEqual(
      { ...closed, state: "open", closed_at: null, updated_at: open["updated_at"] },
      open,
      "it is what it would have been while it was open, under the same id",
    );
    const proof = await proofOf(account, closed["id"]);
    assert.deepEqual(proof, live);
    assert.deepEqual(
      proof.map(({ kind, id, name, accepted, sent_in_all }) => [kind, id, name, accepted, sent_in_all]),
      [
        ["campaign", first, "First", 3, 3],
        ["campaign", second, '=Second, "quoted"', 3, 3],
        ["transactional", null, null, 1, null],
      ],
    );
    for (const { id, accepted } of proof.filter(({ kind }) => kind === "campaign"))
      assert.equal((await app.api("GET", `/v1/campaigns/${id}/stats`)).body.sent, accepted);
    await assertUsageAgrees(app.db, account.id);

    // A mail of which nobody knew whether a server took it is shown to have arrived after the statement was made.
    const source = uuidOf("cmp", first);
    const contactId = newId(clock);
    await app.db.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
      values (${account.id}, ${source}, ${contactId}, null, 'campaign', '00000000-0000-0000-0000-000000000000', 'unknown', 1,
              '2027-02-01T10:20:00Z')`);
    const evidence = { accountId: account.id, sourceId: source, contactId, by: "click" } as const;
    const settled = await app.db.transaction((tx) => settleByEvidence(tx, clock, [evidence]));
    assert.equal(settled, 1);
    const third = await sendCampaign(app, listId, { name: "Third" });
    assert.deepEqual(await compareSums(account), [11, 11]);
    goTo("2027-03-31T10:00:00Z");
    await closeAll();
    assert.deepEqual(await account.ask(`/${closed["id"]}`), closed, "what is closed never changes");
    const [next] = await account.list("?state=closed&limit=1");
    assert.ok(next);
    assert.deepEqual(next["lines"].map(lineOf), [
      ["base", "29.00"],
      ["mails", "campaign", 3, 3, 0, 0, "0.00"],
      ["late", "campaign", 1, 0, 0, 1, "0.00"],
      ["tax", "5.51"],
    ]);
    assert.equal(next["lines"][2].statement_id, closed["id"]);
    const lateProof = await proofOf(account, next["id"]);
    assert.deepEqual(
      lateProof.map(({ id, accepted, sent_in_all, late_of }) => [id, accepted, sent_in_all, late_of]),
      [
        [third, 3, 3, null],
        [first, 1, 4, closed["id"]],
      ],
    );
    assert.deepEqual(await compareSums(account), [11, 11]);
    goTo("2027-04-30T10:00:00Z");
    await closeAll();
    assert.deepEqual(await compareSums(account), [11, 11], "it is stated once");

    // The ledger is dropped after 13 months, and a campaign may be gone.
    await app.db.execute(sql`delete from deliveries where account_id = ${account.id}`);
    await app.db.execute(sql`delete from counters where account_id = ${account.id}`);
    await app.db.execute(sql`delete from campaigns where account_id = ${account.id} and id = ${source}`);
    assert.deepEqual(await proofOf(account, closed["id"]), proof);
    const csv = await app.api("GET", `/v1/usage/statements/${closed["id"]}/proof/export`);
    assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.deepEqual(csv.text.split("\r\n").slice(0, 3), [
      "kind,stream,id,name,accepted,sent_in_all,late_of",
      `campaign,campaign,${first},First,3,3,`,
      `campaign,campaign,${second},"'=Second, ""quoted""",3,3,`,
    ]);
  });
});

describe("closing periods", () => {
  test("is made by the hours alone where the ledger can't be counted in time, and keeps nobody from the account meanwhile", async () => {
    goTo("2027-06-30T09:00:00Z");
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan() });
    await addUsage(app.db, account.id, { "2027-07-01T10:00:00Z": 40 });
    goTo("2027-07-30T12:00:00Z");
    const [taken, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Whoever counts the ledger waits for this.
    const holding = app.db.transaction(async (tx) => {
      await tx.execute(sql`lock table deliveries in access exclusive mode`);
      taken.resolve();
      await isOver.promise;
    });
    await taken.promise;
    try {
      const closing = closeStatements({ db: app.db, clock, log, signal: { aborted: false } }, 2_000);
      await until(async () => {
        const waiting = await app.db.many(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%counted%'`);
        return waiting.length > 0;
      });
      // What isn't about money doesn't wait for it.
      const since = performance.now();
      const changed = await app.db.transaction((tx) =>
        tx.execute(sql`update accounts set updated_at = updated_at where account_id = ${account.id}`),
      );
      const ms = performance.now() - since;
      assert.ok(changed === 1 && ms < 1_000, `the account's row was held for ${ms} ms`);
      await closing;
    } finally {
      isOver.resolve();
      await holding;
    }
    const [closed] = await account.list("?state=closed&limit=1");
    assert.equal(closed?.["mails"], 40);
    const proof = await proofOf(account, closed?.["id"]);
    assert.deepEqual(
      proof.map(({ kind, accepted }) => [kind, accepted]),
      [["unattributed", 40]],
    );
  });

  test("that lasts has no proof while it can't be counted, which is said with the reason", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan() });
    const [open] = await account.list("?state=open");
    const [taken, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = app.db.transaction(async (tx) => {
      await tx.execute(sql`lock table deliveries in access exclusive mode`);
      taken.resolve();
      await isOver.promise;
    });
    await taken.promise;
    const path = `/v1/usage/statements/${open?.["id"]}/proof`;
    const refused = await app.api("GET", path, { key: account.key });
    isOver.resolve();
    await holding;
    assert.deepEqual([refused.status, refused.body.code], [503, "proof_unavailable"], refused.text);
    assert.equal((await app.api("GET", path, { key: account.key })).status, 200);
  });

  test("makes one statement, and spends credits once, whoever closes at the same time", async () => {
    goTo("2027-06-01T00:00:00Z");
    const plan_id = await makePlan();
    const accounts = await Promise.all(Array.from({ length: 25 }, makeAccount));
    for (const account of accounts) {
      await account.put({ plan_id });
      await account.give({ mails: 500 });
      await account.give({ amount: "20", currency: "EUR" });
      await addUsage(app.db, account.id, { "2027-06-02T10:00:00Z": 3_000 });
    }
    goTo("2027-07-01T01:00:00Z");
    const others = [1, 2].map(() =>
      createDb({
        connection: app.databaseUrl,
        poolSize: 4,
        applicationName: "other",
        log,
        statementTimeoutMs: 30_000,
      }),
    );
    const signal = { aborted: false };
    await Promise.all(
      [app.db, ...others, app.db, ...others].map((db) => closeStatements({ db, clock, log, signal })),
    );
    await closeAll();
    for (const db of others) await db.close();
    for (const account of accounts) {
      const statements = await account.list("?state=closed");
      assert.equal(statements.length, 1);
      assert.deepEqual(statements[0]?.["lines"].map(lineOf), [
        ["base", "29.00"],
        ["mails", "campaign", 3_000, 1_000, 500, 1_500, "1.43"],
        ["credit", "-20.00"],
      ]);
      const { credits, statement } = await account.billing();
      assert.deepEqual(credits, { mails: 0, amounts: [] });
      assert.deepEqual([statement.mails, statement.total], [0, "29.00"]);
      const proof = await proofOf(account, statements[0]?.["id"]);
      assert.deepEqual(
        proof.map(({ kind, accepted }) => [kind, accepted]),
        [["unattributed", 3_000]],
        "what isn't in the ledger is said to be so",
      );
    }
  });

  test("catches up after a long time, in order, with the credits that are left for each", async () => {
    goTo("2027-01-31T09:30:00Z");
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan() });
    await account.give({ amount: "60", currency: "EUR" });
    await account.give({ mails: 700 });
    const hours = [
      "2027-01-31T09:00:00Z",
      "2027-02-28T08:00:00Z",
      "2027-02-28T09:00:00Z",
      "2027-04-29T23:00:00Z",
    ];
    await addUsage(app.db, account.id, Object.fromEntries(hours.map((hour) => [hour, 1_500])));
    goTo("2027-05-20T00:00:00Z");
    await closeAll();
    const statements = (await account.list()).toReversed();
    assert.deepEqual(
      statements.map(({ state, period, mails, total }) => [state, period.from, mails, total]),
      [
        ["closed", "2027-01-31T09:00:00.000Z", 3_000, "0.00"],
        ["closed", "2027-02-28T09:00:00.000Z", 1_500, "0.00"],
        ["closed", "2027-03-31T09:00:00.000Z", 1_500, "29.20"],
        ["open", "2027-04-30T09:00:00.000Z", 0, "29.00"],
      ],
    );
    for (const [at, one] of statements.slice(1).entries())
      assert.equal(one["period"].from, statements[at]?.["period"].to, "there is no gap, and no overlap");
    assert.deepEqual((await account.billing())["credits"], { mails: 0, amounts: [] });
    const overages = statements.map(({ overage }) => overage);
    assert.deepEqual(overages, ["0.00", "0.00", "0.20", "0.00"], "credits pay for it first");
  });

  test("bills a period by the larger terms that it was given, whatever comes before it is closed", async () => {
    goTo("2027-06-01T00:00:00Z");
    const account = await makeAccount();
    const plan_id = await makePlan();
    await account.put({ plan_id });
    goTo("2027-06-20T12:34:56Z");
    await account.put({
      ...{ plan_id: await makePlan({ name: "Larger", price: "59", included_mails: 2_000 }) },
      ...{ tax: { label: "VAT", rate: "10" } },
    });
    await addUsage(app.db, account.id, { "2027-06-10T00:00:00Z": 2_100 });
    goTo("2027-07-01T00:05:00Z");
    await account.put({ plan_id: await makePlan({ name: "Other", price: "99", included_mails: 3_000 }) });
    await closeAll();
    assert.deepEqual(
      (await account.list()).map(({ state, plan_name }) => [state, plan_name]),
      [
        ["open", "Other"],
        ["open", "Larger"],
      ],
    );
    goTo("2027-07-01T00:15:00Z");
    await closeAll();
    const [running, closed] = await account.list();
    assert.deepEqual([running?.["plan_name"], running?.["total"]], ["Other", "99.00"]);
    assert.deepEqual(
      [closed?.["state"], closed?.["plan_name"], closed?.["subtotal"], closed?.["tax"], closed?.["total"]],
      ["closed", "Larger", "59.10", "5.91", "65.01"],
    );
  });

  test("puts every hour into one statement where plans change, end and begin within it; a trial costs nothing", async () => {
    goTo("2027-06-01T10:20:00Z");
    const account = await makeAccount();
    const [monthly, yearly] = [await makePlan({ trial_days: 2 }), await makePlan({ interval: "year" })];
    await account.put({ plan_id: monthly });
    await addUsage(app.db, account.id, {
      ...{ "2027-06-01T10:00:00Z": 1, "2027-06-03T09:00:00Z": 2_000, "2027-06-03T10:00:00Z": 4 },
      ...{ "2027-06-05T11:00:00Z": 8, "2027-06-05T12:00:00Z": 16, "2027-06-05T13:00:00Z": 32 },
    });
    goTo("2027-06-05T12:10:00Z");
    await account.put({ plan_id: yearly });
    goTo("2027-06-05T12:40:00Z");
    await account.put({ plan_id: monthly, at: "now" });
    goTo("2027-06-05T13:50:00Z");
    await send("DELETE", `${account.path}/subscription`);
    goTo("2027-06-05T14:15:00Z");
    await closeAll();
    assert.deepEqual(
      (await account.list()).map(({ state, is_trial, period, mails, total }) => [
        ...[state, is_trial, period.from.slice(8, 13), period.to.slice(8, 13)],
        ...[mails, total],
      ]),
      [
        ["closed", false, "05T12", "05T14", 48, "29.00"],
        ["closed", false, "03T10", "05T12", 12, "29.00"],
        ["closed", true, "01T10", "03T10", 2_001, "0.00"],
      ],
      "what began within the hour in which another began has none, and the hour in which the last one ended is its own",
    );
    assert.equal((await account.billing())["statement"], null);
    const due = await app.db.many(sql`
      select from billing_subscriptions where account_id = ${account.id} and statement_due_at is not null`);
    assert.equal(due.length, 0, "nobody looks again");
  });

  test("never charges more for mails than the spending cap", async () => {
    goTo("2027-06-01T00:00:00Z");
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan(), spending_cap: "2.00" });
    await addUsage(app.db, account.id, { "2027-06-10T00:00:00Z": 90_000 });
    assert.deepEqual((await account.list())[0]?.["overage"], "2.00");
  });

  test("charges what is known late as if it had been known in time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(5), fc.nat(7), fc.nat(2_500)), { minLength: 5, maxLength: 20 }),
        fc.option(fc.nat(9)),
        async (usage, cap) => {
          goTo("2026-12-31T00:00:00Z");
          const plan_id = await makePlan();
          // One is closed every month, while mails of earlier months come to light; the other once, when all is known.
          const [monthly, atOnce] = [await makeAccount(), await makeAccount()];
          for (const account of [monthly, atOnce])
            await account.put({ plan_id, ...(cap !== null && { spending_cap: `${cap}.00` }) });
          const wait = (due: string) =>
            app.db.execute(sql`
              update billing_subscriptions set statement_due_at = ${due} where account_id = ${atOnce.id}`);
          await wait("2100-01-01T00:00:00Z");
          for (let month = 0; month < 8; month++) {
            goTo(new Date(Date.UTC(2027, month + 1, 5)));
            for (const [of, known, mails] of usage) {
              if (Math.min(7, of + known) !== month) continue;
              const hour = new Date(Date.UTC(2027, of, 10, known)).toISOString();
              for (const { id } of [monthly, atOnce]) await addUsage(app.db, id, { [hour]: mails });
            }
            await closeAll();
          }
          await wait("2026-12-31T00:00:00Z");
          goTo("2027-09-05T00:00:00Z");
          await closeAll();
          const sums = await Promise.all(
            [monthly, atOnce].map(async (account) => {
              const statements = await account.list("?limit=200");
              assert.deepEqual(...((await compareSums(account)) as [number, number]));
              return Math.round(statements.reduce((sum, one) => sum + Number(one["subtotal"]) * 100, 0));
            }),
          );
          assert.equal(sums[0], sums[1]);
        },
      ),
      { numRuns: 4 },
    );
  });

  test("loses no period where one account fails", async () => {
    goTo("2027-06-01T00:00:00Z");
    const plan_id = await makePlan();
    const [bad, good] = [await makeAccount(), await makeAccount()];
    for (const account of [bad, good]) await account.put({ plan_id });
    goTo("2027-07-01T00:15:00Z");
    await app.db.execute(sql`
      create function fail_here() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`);
    await app.db.execute(
      sql([
        `create trigger fail_here before insert on billing_statements for each row when (new.account_id = '${bad.id}') execute function fail_here()`,
      ]),
    );
    await until(async () => {
      const closing = closeStatements({ db: app.db, clock, log, signal: { aborted: false } });
      await closing.catch((error) => assert.match(String(error.message), /not closed/));
      return (await good.list("?state=closed")).length === 1;
    });
    assert.equal((await bad.list("?state=closed")).length, 0);
    await app.db.execute(sql`drop trigger fail_here on billing_statements`);
    await closeAll();
    assert.equal((await bad.list("?state=closed")).length, 1);
  });

  test("leaves statements that nobody changes, also not by a statement of SQL, and credits that were spent", async () => {
    goTo("2027-06-01T00:00:00Z");
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan() });
    const { body } = await account.give({ amount: "30", currency: "EUR" });
    goTo("2027-07-01T00:15:00Z");
    await closeAll();
    await assert.rejects(
      app.db.execute(sql`update billing_statements set total = 0 where account_id = ${account.id}`),
      /append-only/,
    );
    assert.deepEqual((await account.billing())["credits"].amounts, [{ amount: "1.00", currency: "EUR" }]);
    const back = await account.give({ reverses: body.id });
    assert.deepEqual([back.status, back.body.code], [409, "credit_spent"]);
  });
});

describe("statements over HTTP", () => {
  test("are listed page by page, newest first, by their state", async () => {
    goTo("2027-01-01T00:00:00Z");
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan() });
    goTo("2027-06-10T00:00:00Z");
    await closeAll();
    const whole = await account.ask("?include_total=true");
    assert.deepEqual([whole["data"].length, whole["total"]], [6, 6]);
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await account.ask(`?limit=2${cursor && `&cursor=${cursor}`}`);
      ids.push(...page["data"].map(({ id }: Json) => id));
      if (page["has_more"]) cursor = page["next_cursor"];
      else break;
    }
    assert.deepEqual(
      ids,
      whole["data"].map(({ id }: Json) => id),
    );
    assert.deepEqual(
      [(await account.list("?state=open")).length, (await account.list("?state=closed")).length],
      [1, 5],
    );
    const seen = await send("GET", `${account.path}/statements?limit=200`);
    assert.deepEqual([seen.status, seen.body.data], [200, whole["data"]], "an operator sees the same");
  });

  test("are the account's own, and wrong ids are unknown", async () => {
    goTo("2027-06-01T00:00:00Z");
    const [account, neighbour] = [await makeAccount(), await makeAccount()];
    for (const one of [account, neighbour]) await one.put({ plan_id: await makePlan() });
    const [open] = await neighbour.list();
    goTo("2027-07-02T00:00:00Z");
    await closeAll();
    const [, closed] = await neighbour.list();
    assert.equal(closed?.["id"], open?.["id"]);
    const [running] = await neighbour.list("?state=open");
    for (const id of [closed?.["id"], running?.["id"], `sta_${NOBODY}`, "sta_x", "open", NOBODY])
      for (const rest of ["", "/proof", "/proof/export", "/document"]) {
        const reply = await app.api("GET", `/v1/usage/statements/${id}${rest}`, { key: account.key });
        assert.equal(reply.status, 404, `${id}${rest}`);
      }
    for (const query of ["?state=gone", "?limit=0", "?month=1"])
      assert.equal((await app.api("GET", `/v1/usage/statements${query}`, { key: account.key })).status, 400);
    assert.equal((await send("GET", `accounts/acc_${NOBODY}/statements`)).status, 404);
    assert.equal(
      (await app.api("GET", `/v1/instance/${account.path}/statements`, { key: account.key })).status,
      404,
    );
  });

  test("are seen by who may see what is paid, and their proof by who sees usage", async () => {
    const [{ id } = { id: "" }] = (await app.api("GET", "/v1/usage/statements")).body.data;
    const ask = async (scope: string, rest: string) =>
      (await app.api("GET", `/v1/usage/statements${rest}`, { key: await app.addKey([scope]) })).status;
    for (const rest of ["", `/${id}`, `/${id}/document`])
      assert.deepEqual([await ask("billing:read", rest), await ask("usage:read", rest)], [200, 403], rest);
    for (const rest of [`/${id}/proof`, `/${id}/proof/export`])
      assert.deepEqual([await ask("billing:read", rest), await ask("usage:read", rest)], [403, 200], rest);
    const marketer = await addPerson(app, "marketer@example.com", "marketer");
    assert.equal((await marketer.browser.send("GET", "/v1/usage/statements")).status, 403);
    assert.equal((await marketer.browser.send("GET", `/v1/usage/statements/${id}/proof`)).status, 200);
  });

  test("are printed in the account's language, with who issues them, and nothing in them runs", async () => {
    goTo("2027-06-01T00:00:00Z");
    const account = await makeAccount();
    const body = {
      name: "<b>Kaffee</b> & Söhne",
      postal_address: "Markt 1\nLeipzig",
      locale: "de",
      time_zone: "Europe/Berlin",
    };
    assert.equal((await app.api("PATCH", "/v1/account", { key: account.key, body })).status, 200);
    await account.put({ plan_id: await makePlan({ name: "<i>Plan" }), tax: { label: "<u>USt", rate: "19" } });
    await addUsage(app.db, account.id, { "2027-06-10T00:00:00Z": 12_345 }, { stream: "transactional" });
    const [open] = await account.list();
    const read = () => app.api("GET", `/v1/usage/statements/${open?.["id"]}/document`, { key: account.key });
    const { headers, text } = await read();
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action/,
    );
    for (const word of [
      ...['lang="de"', "Abrechnung", "Offen", "Transaktionsmails", "12.345", "11.345", "10,78", "47,34"],
      ...[
        "Relay &amp; Sons",
        "1 &lt;High&gt; Street",
        "&lt;b&gt;Kaffee&lt;/b&gt; &amp; Söhne",
        "Markt 1",
        "Leipzig",
      ],
      ...["&lt;i&gt;Plan", "&lt;u&gt;USt", "19 %", "1. Juni 2027 um 02:00", open?.["id"]],
    ])
      assert.ok(text.includes(word), `${word} in ${text}`);
    assert.doesNotMatch(text, /<(?:b|i|u|script)>/);
    goTo("2027-07-02T00:00:00Z");
    await closeAll();
    assert.match((await read()).text, /Abgeschlossen am/);
  });
});
