/** These tests show, on tables that were never analysed, that looking for domains reads by an index and no more than is needed. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type BigAccount,
  createBigAccount,
  explain,
  rowsOf,
  type Step,
} from "../../test/support/query-plans.ts";
import { createAccount } from "../accounts/accounts.ts";
import { systemClock } from "../platform/clock.ts";
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../platform/db/db.ts";
import { claimDue, claimWatched, findHeldHosts } from "./looks/look-store.ts";
import { areHostsTaken, countDomains, type DomainRow, listDomains } from "./store.ts";
import { createTrackingHosts } from "./tracking-hosts.ts";

const OTHERS = 20_000;
const OWN = 200;

describe("of many domains of many accounts", () => {
  let big: BigAccount;
  before(async () => {
    big = await createBigAccount(2);
    const other = await big.db.transaction((tx) => createAccount(tx, systemClock, { name: "Other" }));
    const add = (accountId: string, many: number) =>
      big.db.execute(sql`
        insert into domains (account_id, id, name, status, return_path, tracking_host, return_path_ok, tracking_ok, tracking_cname_ok,
          ed25519, version, keys_version, verified_at, records, looks, next_check_at, watched_until, created_at, updated_at)
        select ${accountId}, gen_random_uuid(), name, case when n % 10 = 0 then 'failing' else 'verified' end, 'b.' || name,
          'l.' || name, true, true, true, false, 1, 1, now(), '[]', 0, now() + make_interval(mins => n),
          case when n % 100 = 0 then now() - interval '1 day' end, now() - make_interval(mins => n), now()
        from (select n, n || '-' || ${accountId}::text || '.example' as name from generate_series(1, ${many}) n) made`);
    await add(other.account_id, OTHERS);
    await add(big.accountId, OWN);
  });
  after(() => big?.stop());

  /** Notes the statements of `work`, answers them with nothing, and runs them for their plans, which change nothing. */
  async function plansOf(work: (db: Tx) => Promise<unknown>): Promise<Step[]> {
    const statements: Sql[] = [];
    const note = async (statement: Sql) => {
      statements.push(statement);
      return [];
    };
    await work({ ...big.db, many: note, one: note, maybeOne: note } as unknown as Tx);
    const steps: Step[] = [];
    for (const statement of statements) steps.push(...(await explain(big.db, statement)));
    assert.ok(steps.length > 0);
    return steps;
  }

  const page = { limit: 21, after: undefined } as unknown as Parameters<typeof listDomains>[3];
  const [id, return_path, tracking_host] = [
    "0199a0b1-0000-7000-8000-00000000000f",
    "b.x.example",
    "l.x.example",
  ];
  const cases: readonly [string, (db: Tx, accountId: string) => Promise<unknown>, number][] = [
    ["a page of an account's", (db, account) => listDomains(db, account, undefined, page), OWN],
    ["a page of those of a status", (db, account) => listDomains(db, account, "failing", page), OWN],
    ["their number", (db, account) => countDomains(db, account, "failing"), OWN],
    ["those that are due", (db) => claimDue(db as Writable, new Date(), 30), 10],
    ["those that are watched", (db) => claimWatched(db as Writable, new Date(), 30), 10],
    [
      "whether hosts are taken",
      (db, account) => areHostsTaken(db, account, { id, return_path, tracking_host }),
      10,
    ],
    [
      "whether hosts are used",
      (db, account) =>
        findHeldHosts(db, { account_id: account, id, return_path, tracking_host } as DomainRow),
      10,
    ],
    [
      "whose a tracking host is",
      (db) =>
        createTrackingHosts({ db: db as Queryable, clock: systemClock, ownHosts: [] }).ownersOf(
          tracking_host,
        ),
      10,
    ],
  ];
  for (const [what, work, most] of cases)
    it(`${what} are found without reading all`, async () => {
      const steps = await plansOf((db) => work(db, big.accountId));
      const read = steps.filter((step) => step["Relation Name"] === "domains");
      assert.ok(read.length > 0);
      assert.deepEqual(
        read.filter((step) => step["Node Type"] === "Seq Scan").map(rowsOf),
        [],
        JSON.stringify(steps.map((step) => step["Node Type"])),
      );
      for (const step of read)
        assert.ok(rowsOf(step) <= most + 1, `${step["Node Type"]} read ${rowsOf(step)}`);
    });
});
