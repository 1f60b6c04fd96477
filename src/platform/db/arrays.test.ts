import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { createLog } from "../log.ts";
import { bytesArray, intArray, textArray, timeArray, uuidArray } from "./arrays.ts";
import { createDb, type Db, type Sql, sql } from "./db.ts";

const [ID, OTHER] = ["01900000-0000-7000-8000-00000000000f", "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"];
const IDS = [ID, OTHER, OTHER, OTHER, ID];
const TIMES = ["1969-07-20T20:17:40.123Z", "2000-01-01T00:00:00.000Z", "2026-11-15T12:00:00.999Z"];
const TEXTS = ["", null, 'quoted "and" {braced}, with \\ and NULL', "żółć 漢字 🙂", "x".repeat(5_000)];

describe("arrays as parameters", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  before(async () => {
    database = await emptyDatabase();
    const log = createLog({ level: "silent", pretty: false });
    db = createDb({
      connection: database.url,
      poolSize: 2,
      applicationName: "arrays test",
      log,
      statementTimeoutMs: 10_000,
    });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  const read = async (array: Sql) =>
    (await db.one<{ values: unknown }>(sql`select ${array} as values`)).values;

  test("the server reads what was written, of every type", async () => {
    assert.deepEqual(
      await read(sql`${uuidArray(IDS)}::uuid[]`),
      IDS.map((id) => id.toLowerCase()),
    );
    assert.deepEqual(await read(sql`${intArray([0, -1, 2_147_483_647])}::int[]`), [0, -1, 2_147_483_647]);
    assert.deepEqual(await read(sql`${textArray(TEXTS)}::text[]`), TEXTS);
    const bytes = [Buffer.alloc(0), Buffer.from([0, 255, 92, 34]), Buffer.alloc(5_000, 7)];
    assert.deepEqual(await read(sql`${bytesArray(bytes)}::bytea[]`), bytes);
    const times = TIMES.map((time) => new Date(time));
    assert.deepEqual(await read(sql`${timeArray(times)}::timestamptz[]`), times);
  });

  test("elements may be null", async () => {
    const time = new Date(TIMES[2] ?? 0);
    assert.deepEqual(await read(sql`${uuidArray([null, ID, ID, null])}::uuid[]`), [null, ID, ID, null]);
    assert.deepEqual(await read(sql`${uuidArray([null])}::uuid[]`), [null]);
    assert.deepEqual(await read(sql`${timeArray([time, null, time])}::timestamptz[]`), [time, null, time]);
  });

  test("an array may be empty, and counts its elements from 1", async () => {
    assert.deepEqual(await read(sql`${uuidArray([])}::uuid[]`), []);
    assert.deepEqual(await read(sql`${textArray([])}::text[]`), []);
    assert.equal(await read(sql`(${intArray([7, 8])}::int[])[1]`), 7);
  });

  test("what is no uuid is refused before it gets to the server", () => {
    for (const text of [
      "",
      "abc",
      `${IDS[0]}0`,
      "01900000-0000-7000-8000-00000000000g",
      "01900000-0000-7000-8000-0000000000@0",
    ]) {
      assert.throws(() => uuidArray([text]), TypeError);
    }
  });
});
