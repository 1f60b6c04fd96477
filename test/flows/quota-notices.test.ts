/** What owners are told of the mails of a plan, by mail. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { leaseFromAllowance } from "../../src/delivery/allowance/allowance.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { caughtFor } from "../support/emails.ts";
import { addPerson } from "../support/people.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage } from "../support/usage.ts";

const OWNER = "owner@example.com";
const PROCESSES = 50;
const log = createLog({ level: "silent", pretty: false });

describe("owners are told of the mails of a plan", () => {
  let app: TestApp;
  let operator: string;
  before(async () => {
    app = await createApp();
    operator = await app.db.transaction((tx) =>
      createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
    );
    await addPerson(app, OWNER, "owner");
  });
  after(() => app.stop());

  async function subscribe(plan: Json): Promise<void> {
    const body = { name: "Growth", price: "29.00", currency: "EUR", ...plan };
    const made = await app.api("POST", "/v1/instance/plans", { key: operator, body });
    const path = `/v1/instance/accounts/${app.accountId}/subscription`;
    const put = await app.api("PUT", path, { key: operator, body: { plan_id: made.body.id, at: "now" } });
    assert.equal(put.status, 200, put.text);
  }
  const accountId = () => uuidOf("acc", app.accountId);
  const use = (mails: number) => addUsage(app.db, accountId(), { [new Date().toISOString()]: mails });
  /** Those about mails, with their lines as they were written. */
  const letters = async () =>
    (await caughtFor(app, OWNER))
      .map((mail) => mail.replace(/=\r?\n/g, "").replace(/\s+/g, " "))
      .filter((mail) => /of this period|this period's/.test(mail));
  /** No job about an event waits or runs. */
  const toldAll = () =>
    until(async () => {
      const jobs = await app.db.many(sql`
        select from graphile_worker._private_jobs where payload ->> 'account_id' = ${accountId()} and payload ->> 'event_id' is not null`);
      return jobs.length === 0;
    });

  test("by one mail, however many processes find at once that a part is used up, which says what is refused", async () => {
    await subscribe({ included_mails: 1_000 });
    const connections = Array.from({ length: PROCESSES }, (_, n) =>
      createDb({
        connection: app.databaseUrl,
        poolSize: 1,
        applicationName: `sender ${n}`,
        log,
        statementTimeoutMs: 30_000,
      }),
    );
    const lookAll = () =>
      Promise.all(
        connections.map((db) =>
          leaseFromAllowance(
            { db, log, clock: systemClock },
            { accountId: accountId(), isTransactional: false },
            [async () => undefined],
          ),
        ),
      );
    await use(800);
    await lookAll();
    await until(async () => (await letters()).length > 0);
    await toldAll();
    const [near, ...others] = await letters();
    assert.equal(others.length, 0);
    assert.match(near ?? "", /80% of this period's mails are used/);
    assert.match(near ?? "", /800 of 1,000 mails are used/);
    await use(200);
    await lookAll();
    await until(async () => (await letters()).length > 1);
    await toldAll();
    const over = (await letters()).filter((mail) => /All mails of this period are used/.test(mail));
    assert.equal(over.length, 1);
    assert.match(over[0] ?? "", /Transactional mail is refused/);
    assert.equal((await letters()).length, 2);
    await Promise.all(connections.map((db) => db.close()));
  });

  test("that nothing stops where mails beyond those included are charged", async () => {
    await subscribe({ included_mails: 800, at_limit: "overage", overage_per_1000: "1.00" });
    await app.db.execute(sql`select from graphile_worker.add_job('follow_allowances')`);
    await until(async () => (await letters()).some((mail) => /charged/.test(mail)));
    const [charged] = (await letters()).filter((mail) => /charged/.test(mail));
    assert.match(charged ?? "", /Nothing stops/);
    assert.doesNotMatch(charged ?? "", /refused/);
  });
});
