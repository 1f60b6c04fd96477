import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, it } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db, raw, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { createSecrets } from "../../platform/secrets.ts";
import type { InboundHandlers, InboundItem, NewInboundItem, OtherHandler, Queue, Report } from "../types.ts";
import { claimItems } from "./item-store.ts";
import { MOST_READ_BYTES, readWaiting } from "./read-waiting.ts";
import { MOST_KEPT_BYTES, storeInbound } from "./store-inbound.ts";

const log = createLog({ level: "silent", pretty: false });
const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);
const clock = createTestClock();
const MINUTE = 60_000;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
before(async () => {
  database = await cloneDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 6,
    applicationName: "test",
    log,
    statementTimeoutMs: 10_000,
  });
});
after(async () => {
  await db.close();
  await database.drop();
});
const itemOf = (text: string, more: Partial<NewInboundItem> = {}): NewInboundItem => ({
  accountId,
  channel: "smtp",
  channelId: null,
  provider: null,
  envelopeFrom: "",
  addressed: null,
  raw: Buffer.from(text, "latin1"),
  ...more,
});

const store = (...items: readonly NewInboundItem[]) =>
  db.transaction((tx) => storeInbound(tx, { secrets, clock }, items));

const REPORT: Report = {
  kind: "bounce",
  class: "hard",
  reason: null,
  status: "5.1.1",
  diagnostic: "",
  recipient: null,
  clues: { named: null, token: null, providerId: null, messageId: null },
  at: null,
  eventId: null,
};

/** Handlers that remember what was acted on; `onRead` may go wrong on what it sees. */
function createHandlers(onRead: (text: string) => void = () => undefined) {
  const read: string[] = [];
  const acted: string[] = [];
  const other: OtherHandler = async (_db, { addressed, session, raw }) => {
    onRead(raw.toString("latin1"));
    return async () => {
      acted.push(JSON.stringify({ addressed, session, bytes: raw.length }));
      return { outcome: "stored", why: "it is a report", named: null };
    };
  };
  const handlers: InboundHandlers = {
    readItem({ raw }) {
      read.push(raw.toString("latin1"));
      onRead(raw.toString("latin1"));
      return [{ ...REPORT, kind: "delay" }, REPORT];
    },
    async actOn(_ctx, { raw }: InboundItem) {
      acted.push(raw.toString("latin1"));
      const named = { sourceId: newId(clock), contactId: newId(clock) };
      return [
        { outcome: "noted", why: "", named: null },
        { outcome: "suppressed", why: "", named },
      ];
    },
    others: { dmarc_report: other, mail_test: other },
  };
  return { handlers, read, acted };
}

const runQueue = (queue: Queue, handlers: InboundHandlers, keys = secrets) => {
  const signal = new AbortController().signal;
  const job = { db, clock, log, signal, attempt: 1 };
  return readWaiting(job, { secrets: keys, handlers }, { accountId, queue });
};
const run = (handlers: InboundHandlers, keys = secrets) => runQueue("returned", handlers, keys);

type State = {
  id: string;
  state: string;
  failure: string | null;
  kind: string | null;
  outcome: string | null;
  attempts: number;
};
const states = () =>
  db.many<State>(sql`
    select id, state, failure, kind, outcome, attempts from inbound_items where account_id = ${accountId} order by id`);
const jobs = () =>
  db.many<{ run_at: Date }>(sql`
    select run_at from graphile_worker.jobs where key = ${`read_inbound ${accountId}`}`);

describe("what came in", () => {
  beforeEach(() => {
    accountId = newId(clock);
  });

  it("is stored once for each way and address, sealed, with one job for all of it", async () => {
    const addressed = { kind: "bounce", sourceId: newId(clock), contactId: newId(clock) } as const;
    const [one, same, other] = await store(
      itemOf("a secret\xff"),
      itemOf("a secret\xff"),
      itemOf("a secret\xff", { addressed }),
    );
    assert.ok(one && other && same === undefined);
    assert.deepEqual(await store(itemOf("a secret\xff")), [undefined]);
    const [mailbox] = await store(itemOf("a secret\xff", { channel: "mailbox", channelId: newId(clock) }));
    assert.ok(mailbox);
    assert.equal((await jobs()).length, 1);
    const { found } = await db.one<{ found: number }>(sql`
      select count(*)::int as found from inbound_items
      where account_id = ${accountId} and position(convert_to('secret', 'UTF8') in raw) > 0`);
    assert.equal(found, 0);
  });

  it("is read, acted on once, and listed under the weightiest of what it says", async () => {
    await store(itemOf("one"), itemOf("two \xe9"));
    const { handlers, acted } = createHandlers();
    await run(handlers);
    await run(handlers);
    assert.deepEqual(acted.toSorted(), ["one", "two \xe9"]);
    for (const { state, kind, outcome } of await states())
      assert.deepEqual([state, kind, outcome], ["read", "bounce", "suppressed"]);
  });

  it("goes whole to whom it is for, with its session, where it came to an address of the account's own", async () => {
    const session = { ip: "192.0.2.1", helo: "mx.example", tls: "TLSv1.3" };
    const testId = newId(clock);
    const large = "x".repeat(MOST_READ_BYTES + 1);
    await store(
      itemOf(large, { addressed: { kind: "dmarc_report" }, session }),
      itemOf("a test", { addressed: { kind: "mail_test", testId } }),
      itemOf("a test", { addressed: { kind: "mail_test", testId: newId(clock) } }),
    );
    const { handlers, read, acted } = createHandlers();
    await run(handlers);
    await runQueue("dmarc_reports", handlers);
    assert.deepEqual(read, []);
    const seen = acted.map((text) => JSON.parse(text) as Record<string, unknown>);
    assert.equal(seen.length, 3);
    assert.deepEqual(
      seen.filter((one) => one["bytes"] !== 6),
      [{ addressed: { kind: "dmarc_report" }, session, bytes: large.length }],
    );
    assert.equal(
      seen.filter(({ addressed }) => (addressed as { testId?: string }).testId === testId).length,
      1,
    );
    const kinds = (await states()).map(({ kind, outcome }) => `${kind} ${outcome}`);
    assert.deepEqual(kinds.toSorted(), ["dmarc_report stored", "mail_test stored", "mail_test stored"]);
  });

  it("has a job of its own where it is a DMARC report that waited while the service was upgraded", async () => {
    await store(itemOf("a report", { addressed: { kind: "dmarc_report" } }));
    const found = () =>
      db.many(sql`
        select task_identifier as name, priority, max_attempts as most from graphile_worker.jobs
        where key = ${`read_dmarc_reports ${accountId}`}`);
    const added = await found();
    assert.deepEqual(added, [{ name: "read_dmarc_reports", priority: 10, most: 25 }]);
    await db.execute(sql`select graphile_worker.remove_job(${`read_dmarc_reports ${accountId}`})`);
    assert.deepEqual(await found(), []);
    const migration = readFileSync(
      new URL("../../../migrations/0067_deliverability.sql", import.meta.url),
      "utf8",
    );
    const statement = /^do \$\$.*?^\$\$;/ms.exec(migration)?.[0] ?? "";
    await db.execute(raw(statement));
    assert.deepEqual(await found(), added);
  });

  it("holds no bounce up where it is a DMARC report, and is read without a lock", async () => {
    const [report] = await store(itemOf("a report", { addressed: { kind: "dmarc_report" } }));
    await store(itemOf("a bounce"));
    const names = await db.many<{ task_identifier: string }>(sql`
      select task_identifier from graphile_worker.jobs where key like ${`%${accountId}`} order by priority`);
    assert.deepEqual(
      names.map(({ task_identifier }) => task_identifier),
      ["read_inbound", "read_dmarc_reports"],
    );
    const { handlers, acted } = createHandlers();
    const reading = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const slow: OtherHandler = async (...given) => {
      reading.resolve();
      await isOver.promise;
      return handlers.others.dmarc_report(...given);
    };
    const reports = runQueue("dmarc_reports", {
      ...handlers,
      others: { ...handlers.others, dmarc_report: slow },
    });
    await reading.promise;
    await run(handlers);
    assert.deepEqual(acted, ["a bounce"]);
    await db.transaction((tx) =>
      tx.one(
        sql`select from inbound_items where account_id = ${accountId} and id = ${report} for update nowait`,
      ),
    );
    isOver.resolve();
    await reports;
    assert.equal(acted.length, 2);
  });

  it("is acted on once, though two jobs read at the same time", async () => {
    await store(...Array.from({ length: 120 }, (_, n) => itemOf(`${n}`)));
    const { handlers, acted } = createHandlers();
    await Promise.all([run(handlers), run(handlers), run(handlers)]);
    await run(handlers);
    assert.equal(acted.length, 120);
    assert.equal(new Set(acted).size, 120);
  });

  it("is given up after five tries where it can't be read, and holds nothing else up", async () => {
    await store(itemOf("good"), itemOf("bad"), itemOf("better"));
    const { handlers, acted } = createHandlers((text) => {
      if (text === "bad") throw new Error("a bug");
    });
    for (let time = 0; time < 8; time++) {
      await run(handlers);
      clock.advance(20 * MINUTE);
    }
    assert.deepEqual(acted.toSorted(), ["better", "good"]);
    const failed = (await states()).filter(({ state }) => state === "failed");
    assert.deepEqual(
      failed.map(({ failure, attempts }) => [failure, attempts]),
      [["an error on our side; the log has it", 5]],
    );
  });

  it("is tried again when its time has come, by a job that is there for it", async () => {
    await store(itemOf("bad"));
    await run(
      createHandlers(() => {
        throw new Error("a bug");
      }).handlers,
    );
    const [job] = await jobs();
    assert.ok(job && job.run_at > clock.now());
    clock.advance(job.run_at.getTime() - clock.now().getTime());
    const { handlers, acted } = createHandlers();
    await run(handlers);
    assert.deepEqual(acted, ["bad"]);
  });

  it("that ends the process takes nothing along, and is given up when it has done so five times", async () => {
    await store(itemOf("deadly"));
    clock.advance(1);
    await store(...Array.from({ length: 9 }, (_, n) => itemOf(`${n}`)));
    // A process that dies leaves what it has claimed as it is, and nothing else.
    const claim = (isRetry: boolean, most: number) => {
      const until = new Date(clock.now().getTime() + 2 * MINUTE);
      return claimItems(db, accountId, {
        queue: "returned",
        now: clock.now(),
        until,
        most,
        mostBytes: 1e6,
        isRetry,
      });
    };
    assert.equal((await claim(false, 50)).length, 10);
    const { handlers, acted } = createHandlers((text) => {
      assert.notEqual(text, "deadly");
    });
    await run(handlers);
    assert.deepEqual(acted, [], "others hold them");
    for (let deaths = 1; deaths < 5; deaths++) {
      clock.advance(3 * MINUTE);
      const [alone, ...more] = await claim(true, 1);
      assert.deepEqual([alone?.attempts, more.length], [deaths + 1, 0]);
    }
    clock.advance(3 * MINUTE);
    await run(handlers);
    assert.equal(acted.length, 9);
    const [first] = (await states()).filter(({ state }) => state === "failed");
    assert.match(first?.failure ?? "", /begun 5 times and never ended/);
  });

  it("fails by name where no key opens it any more", async () => {
    await store(itemOf("sealed"));
    const other = createSecrets(["another secret key of 32 characters or more"]);
    for (let time = 0; time < 6; time++) {
      await run(createHandlers().handlers, other);
      clock.advance(20 * MINUTE);
    }
    assert.equal((await states())[0]?.failure, "no SECRET_KEY opens it");
  });

  it("is kept up to 10 MB, says how large it was, and is read as far as a report goes", async () => {
    await store(itemOf("x".repeat(MOST_KEPT_BYTES + 5)));
    const { handlers, read } = createHandlers();
    await run(handlers);
    assert.equal(read[0]?.length, MOST_READ_BYTES);
    const { bytes, kept } = await db.one<{ bytes: number; kept: number }>(
      sql`select bytes, length(raw) as kept from inbound_items where account_id = ${accountId}`,
    );
    assert.equal(bytes, MOST_KEPT_BYTES + 5);
    assert.ok(kept >= MOST_KEPT_BYTES && kept < MOST_KEPT_BYTES + 100);
  });
});
