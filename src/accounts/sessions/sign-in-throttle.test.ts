import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { networkOf } from "../../platform/http/address.ts";
import { createLog } from "../../platform/log.ts";
import { AppError } from "../../platform/problems.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { createSignInThrottle, type SignInThrottle } from "./sign-in-throttle.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe("a network", () => {
  for (const [ip, network] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:2::", "2001:db8:1:2::/64"],
    ["2001:db8::5", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
    ["not an address", "not an address"],
  ] as const) {
    it(`of ${ip} is ${network}`, () => assert.equal(networkOf(ip), network));
  }
});

describe("the sign-in throttle", () => {
  const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
  const clock = createTestClock();
  const throttle = createSignInThrottle(secrets);
  let db: Db;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await cloneDatabase();
    const log = createLog({ level: "silent", pretty: false });
    const options = { poolSize: 6, applicationName: "test", log, statementTimeoutMs: 10_000 };
    db = createDb({ connection: database.url, ...options });
    drop = database.drop;
  });
  after(async () => {
    await db.close();
    await drop();
  });

  /** Returns how many seconds the attempt must wait; 0 when it may be made. */
  const attempt = async (emailKey: string, ip: string, by: SignInThrottle = throttle): Promise<number> => {
    try {
      await by.count({ sql: db, clock }, { emailKey, ip });
      return 0;
    } catch (error) {
      assert.ok(error instanceof AppError && error.problem.code === "too_many_attempts");
      return Number(error.headers["retry-after"]);
    }
  };
  const forgive = (emailKey: string, ip: string) =>
    db.transaction((tx) => throttle.forgive({ sql: tx, clock }, { emailKey, ip }));

  it("lets 5 through, then doubles the wait up to 15 minutes", async () => {
    for (let i = 0; i < 5; i++) assert.equal(await attempt("a@x.example", "192.0.2.1"), 0);
    const waits: number[] = [];
    clock.advance(SECOND - 1);
    assert.equal(await attempt("a@x.example", "192.0.2.1"), 1, "not a moment earlier");
    clock.advance(1 - SECOND);
    for (let i = 0; i < 14; i++) {
      const seconds = await attempt("a@x.example", "192.0.2.1");
      waits.push(seconds);
      clock.advance(seconds * SECOND);
      assert.equal(await attempt("a@x.example", "192.0.2.1"), 0);
    }
    assert.deepEqual(waits.slice(0, 6), [1, 2, 4, 8, 16, 32]);
    assert.ok(Math.max(...waits) <= 900 && (waits.at(-1) ?? 0) > 300, String(waits));
  });

  it("does not count what it refuses", async () => {
    for (let i = 0; i < 5; i++) await attempt("b@x.example", "192.0.2.2");
    for (let i = 0; i < 60; i++) assert.equal(await attempt("b@x.example", "192.0.2.2"), 1);
    assert.equal(await attempt("b@x.example", "192.0.2.3"), 0, "the address alone is not throttled");
  });

  it("lets exactly 5 of 60 at once through, whichever process they come by", async () => {
    const other = createSignInThrottle(secrets);
    const waits = await Promise.all(
      Array.from({ length: 60 }, (_, i) => attempt("c@x.example", "192.0.2.4", i % 2 ? throttle : other)),
    );
    assert.equal(waits.filter((seconds) => seconds === 0).length, 5);
  });

  it("throttles an address after 50 attempts from anywhere, and nobody else", async () => {
    for (let i = 0; i < 50; i++) assert.equal(await attempt("d@x.example", `198.51.100.${i}`), 0);
    assert.ok((await attempt("d@x.example", "198.51.100.200")) > 0);
    assert.equal(await attempt("e@x.example", "198.51.100.200"), 0);
  });

  it("throttles a network after 100 attempts at anyone, a whole IPv6 /64 counting as one", async () => {
    for (let i = 0; i < 100; i++) assert.equal(await attempt(`f${i}@x.example`, `2001:db8:1:2::${i}`), 0);
    assert.ok((await attempt("f@x.example", "2001:db8:1:2:ffff::1")) > 0);
    assert.equal(await attempt("f@x.example", "2001:db8:1:3::1"), 0);
  });

  it("never throttles people who know their passwords, however many share an address", async () => {
    for (let i = 0; i < 150; i++) {
      assert.equal(await attempt(`g${i % 3}@x.example`, "203.0.113.1"), 0);
      await forgive(`g${i % 3}@x.example`, "203.0.113.1");
    }
  });

  it("gives 5 free attempts again after the right password", async () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) assert.equal(await attempt("h@x.example", "203.0.113.2"), 0);
      assert.equal(await attempt("h@x.example", "203.0.113.2"), 0);
      await forgive("h@x.example", "203.0.113.2");
    }
  });

  it("takes back an attempt that was not looked at, and no more than that", async () => {
    for (let i = 0; i < 4; i++) assert.equal(await attempt("l@x.example", "203.0.113.4"), 0);
    for (let i = 0; i < 20; i++) {
      assert.equal(await attempt("l@x.example", "203.0.113.4"), 0);
      await throttle.takeBack({ sql: db, clock }, { emailKey: "l@x.example", ip: "203.0.113.4" });
    }
    assert.equal(await attempt("l@x.example", "203.0.113.4"), 0);
    assert.equal(await attempt("l@x.example", "203.0.113.4"), 1);
  });

  it("forgets 5 attempts in an hour", async () => {
    for (let i = 0; i < 5; i++) await attempt("i@x.example", "203.0.113.3");
    clock.advance(HOUR);
    for (let i = 0; i < 5; i++) assert.equal(await attempt("i@x.example", "203.0.113.3"), 0);
    assert.equal(await attempt("i@x.example", "203.0.113.3"), 1);
  });

  it("survives many who count and are forgiven at once", async () => {
    const work = Array.from({ length: 40 }, async (_, i) => {
      const email = `j${i % 4}@x.example`;
      await attempt(email, `203.0.113.${10 + (i % 3)}`);
      await forgive(email, `203.0.113.${10 + (i % 3)}`);
    });
    await Promise.all(work);
  });

  it("stores no address, and removes what has leaked away", async () => {
    const rows = await db.many<{ row: string }>(sql`select guesses::text as row from guesses`);
    const text = rows.map(({ row }) => row).join("\n");
    for (const secret of ["x.example", "192.0.2", Buffer.from("a@x.example").toString("hex")]) {
      assert.ok(!text.includes(secret), secret);
    }
    clock.advance(49 * HOUR);
    assert.equal(await attempt("k@x.example", "192.0.2.9", createSignInThrottle(secrets)), 0);
    const { count } = await db.one<{ count: number }>(sql`select count(*) as count from guesses`);
    assert.equal(count, 3);
  });
});
