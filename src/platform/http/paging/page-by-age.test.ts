import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { emptyDatabase } from "../../../../test/support/database.ts";
import { systemClock } from "../../clock.ts";
import { createDb, type Db, type Queryable, sql } from "../../db/db.ts";
import { type AgePage, newestFirst } from "../../db/newest-first.ts";
import { createLog } from "../../log.ts";
import { pageByAge } from "./page-by-age.ts";

const log = createLog({ level: "silent", pretty: false });
const OURS = "00000000-0000-7000-8000-00000000000a";
const THEIRS = "00000000-0000-7000-8000-00000000000b";

/** The time of row 2 is also that of rows 3 and 4, so that only the id tells them apart. */
const MINUTES = [0, 1, 2, 2, 2, 3];
const idOf = (n: number) => `00000000-0000-7000-8000-10000000000${n}`;
const timeOf = (n: number) => `2026-11-14T09:0${MINUTES[n]}:00.123Z`;

type Thing = { id: string; n: number; created_at: Date };

const listThings = (alias?: "t") => (reader: Queryable, accountId: string, page: AgePage) =>
  reader.many<Thing>(sql`
    select id, n, created_at from things t where t.account_id = ${accountId} ${newestFirst(page, alias)}`);

async function countThings(reader: Queryable, accountId: string): Promise<number> {
  const { count } = await reader.one<{ count: number }>(
    sql`select count(*) as count from things where account_id = ${accountId}`,
  );
  return count;
}

describe("a page by age", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  before(async () => {
    database = await emptyDatabase();
    db = createDb({
      connection: database.url,
      poolSize: 2,
      applicationName: "page test",
      log,
      statementTimeoutMs: 10_000,
    });
    await db.execute(
      sql`create table things (account_id uuid, id uuid, n int, created_at timestamptz, primary key (account_id, id))`,
    );
    for (const accountId of [OURS, THEIRS]) {
      for (const n of MINUTES.keys()) {
        await db.execute(sql`insert into things values (${accountId}, ${idOf(n)}, ${n}, ${timeOf(n)})`);
      }
    }
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  function callFor(query: { limit: number; include_total: boolean }, position?: readonly string[]) {
    return {
      ctx: {
        sql: db,
        accountId: OURS,
        actor: { kind: "system", id: null } as const,
        clock: systemClock,
        log,
      },
      query,
      after: position,
      signCursor: (signed: readonly string[]) => JSON.stringify(signed),
      urlWithCursor: (cursor: string) => `https://mail.example/v1/things?cursor=${cursor}`,
    };
  }
  const numberOf = (row: Thing) => row.n;

  const CASES = [
    { of: "the first page", limit: 2, behind: undefined, shows: [5, 4], ends: 4 },
    { of: "a page that begins among rows of one time", limit: 2, behind: 4, shows: [3, 2], ends: 2 },
    { of: "the last page", limit: 2, behind: 2, shows: [1, 0], ends: undefined },
    { of: "a page behind the last row", limit: 2, behind: 0, shows: [], ends: undefined },
    { of: "a page of one row", limit: 1, behind: 5, shows: [4], ends: 4 },
    { of: "a page that holds all", limit: 50, behind: undefined, shows: [5, 4, 3, 2, 1, 0], ends: undefined },
  ];
  for (const { of, limit, behind, shows, ends } of CASES) {
    for (const alias of [undefined, "t"] as const) {
      it(`is ${of}${alias ? ", where the table has an alias" : ""}`, async () => {
        const position = behind === undefined ? undefined : [timeOf(behind), idOf(behind)];
        const answer = await pageByAge(callFor({ limit, include_total: false }, position), {
          list: listThings(alias),
          count: countThings,
          shape: numberOf,
        });
        assert.deepEqual(answer.body, {
          object: "list",
          data: shows,
          has_more: ends !== undefined,
          next_cursor: ends === undefined ? null : JSON.stringify([timeOf(ends), idOf(ends)]),
        });
      });
    }
  }

  it("has the total of all pages where it is asked for, and counts only then", async () => {
    let counted = 0;
    const parts = {
      list: listThings(),
      count: (reader: Queryable, accountId: string) => {
        counted++;
        return countThings(reader, accountId);
      },
      shape: numberOf,
    };
    const without = await pageByAge(callFor({ limit: 2, include_total: false }), parts);
    assert.deepEqual([without.body && "total" in without.body, counted], [false, 0]);
    const behind = [timeOf(2), idOf(2)];
    const withTotal = await pageByAge(callFor({ limit: 2, include_total: true }, behind), parts);
    assert.deepEqual([withTotal.body?.total, counted], [MINUTES.length, 1]);
  });

  it("waits for a shape that has something to read first", async () => {
    const shape = db.one<{ word: string }>(sql`select 'thing' as word`).then(
      ({ word }) =>
        (row: Thing) =>
          `${word} ${row.n}`,
    );
    const call = callFor({ limit: 2, include_total: false });
    const { body } = await pageByAge(call, { list: listThings(), count: countThings, shape });
    assert.deepEqual(body?.data, ["thing 5", "thing 4"]);
  });
});
