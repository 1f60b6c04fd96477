/** Runs delivery without the rest of the program: a database, its jobs and senders, and a composer of its own. */
import assert from "node:assert/strict";
import { createAccount } from "../../src/accounts/accounts.ts";
import { sentCampaigns } from "../../src/campaigns/campaigns.ts";
import {
  type Composed,
  deliveryJobs,
  type HowEnded,
  launchSource,
  ledgerPartitions,
  type MessageComposer,
  type NewSource,
  type Recipient,
  readCounts,
  type SourceCounts,
  type SourceOwner,
  startSenders,
} from "../../src/delivery/delivery.ts";
import { readRevision, storeRevision } from "../../src/messages/messages.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import type { TxCtx } from "../../src/platform/context.ts";
import { createDb, type Db, type Queryable, sql } from "../../src/platform/db/db.ts";
import { createListener, type Listener } from "../../src/platform/db/listen.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog, type Log } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { watchWorkers } from "../../src/platform/workers/watch.ts";
import { startWorker, type Worker } from "../../src/platform/workers/workers.ts";
import { createList } from "../../src/subscribers/subscribers.ts";
import { cloneDatabase } from "./database.ts";
import { assertUsageAgrees } from "./usage.ts";

export type Bench = {
  readonly url: string;
  readonly db: Db;
  readonly listener: Listener;
  readonly log: Log;
  readonly clock: Clock;
  readonly accountId: string;
  readonly listId: string;
  readonly ended: Map<string, HowEnded>;
  readonly owner: SourceOwner;
  ctx<T>(work: (ctx: TxCtx) => Promise<T>, accountId?: string): Promise<T>;
  addList(accountId?: string): Promise<string>;
  /** Adds an account that is known for long, unless it is to be new, and so on probation. */
  addAccount(options?: { readonly isNew?: boolean }): Promise<string>;
  /** Adds subscribers and returns their ids. */
  addSubscribers(emails: readonly string[], listId?: string, accountId?: string): Promise<string[]>;
  /** Returns the owner's id, which the first source has too. */
  launch(more?: Partial<TestLaunch>, accountId?: string): Promise<string>;
  counts(sourceId: string, accountId?: string): Promise<SourceCounts>;
  startJobs(more?: Partial<Parameters<typeof deliveryJobs>[0]>): Promise<void>;
  /** Starts a worker that has heartbeats and nothing to do, for statements that ask who makes them. */
  startWorker(): Promise<Worker>;
  startSender(
    compose?: Compose,
    more?: Partial<Parameters<typeof startSenders>[0]>,
  ): Promise<{ stop(): Promise<void> }>;
  /** Stops what was started. Usage must equal a recount of the ledger then, whatever a test did. */
  stop(): Promise<void>;
};

/** These options send into the sandbox, unless a test says otherwise. */
export const testSenderOptions = {
  secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
  relay: undefined,
  internalHosts: [],
};

/** What a test launches: a `NewSource`, but with the content of the revision in place of its id. */
export type TestLaunch = Omit<NewSource, "ownerId" | "revisionId"> & { id: string; revision: unknown };

/** Tests write a composer as a function of the revision, which returns a function for a few recipients at a time. */
export type Compose = (source: {
  readonly revision: unknown;
}) => Promise<(recipients: readonly Recipient[], sourceId: string) => Promise<readonly Composed[]>>;
type ComposeSimply = (
  ...source: Parameters<Compose>
) => Promise<(recipients: readonly Recipient[]) => Promise<readonly Composed[]>>;

export function composerOf(db: Queryable, compose: Compose): MessageComposer {
  return {
    async prepare(accountId, revisionId) {
      const composeMany = await compose({ revision: await readRevision(db, accountId, revisionId) });
      return { needsTags: false, compose: (sourceId, recipients) => composeMany(recipients, sourceId) };
    },
  };
}

/** Returns the ids by which events name an owner, whatever its stream. */
export const idsOf = (ownerId: string) => ({ campaign_id: toPublicId("cmp", ownerId) });

/** An owner that ignores the end of its sources. */
export const noOwner: SourceOwner = {
  sourceEnded: async () => undefined,
  sourceWarned: async () => undefined,
  idsInEvents: ({ ownerId }) => idsOf(ownerId),
  sentCampaigns,
};

/** Composes a small message, which is always the same for the same recipient and date. */
export const composeSimply: ComposeSimply = async ({ revision }) => {
  const { subject } = revision as { subject: string };
  return async (recipients) =>
    recipients.map(({ email, subscriber, messageId, date }) => ({
      ok: true,
      from: "news@example.org",
      to: email,
      message: Buffer.from(
        `Date: ${date.toUTCString()}\r\nFrom: news@example.org\r\nTo: ${email}\r\nSubject: ${subject}\r\n` +
          `Message-ID: <${messageId}@example.org>\r\n\r\nHello ${subscriber.first_name ?? "there"}\r\n`,
      ),
    }));
};

type BenchOptions = {
  /** True where the senders have a relay; otherwise all mail goes into the sandbox. */
  hasRelay?: boolean;
  clock?: Clock;
  /** True where the test writes rows of the ledger that nobody sent: then usage isn't held against a recount at the end. */
  writesLedger?: boolean;
  /** A database to use instead of a new one on the tests' own server. */
  database?: Awaited<ReturnType<typeof cloneDatabase>>;
};

export async function createBench(options: BenchOptions = {}): Promise<Bench> {
  const clock = options.clock ?? systemClock;
  const database = options.database ?? (await cloneDatabase());
  const log = createLog({
    level: (process.env["TEST_LOG"] ?? "silent") as "silent",
    pretty: false,
    destination: process.stderr,
  });
  const db = createDb({
    connection: database.url,
    poolSize: 12,
    applicationName: "test",
    log,
    statementTimeoutMs: 30_000,
  });
  const listener = createListener(database.url, log);
  await maintainPartitions(db, clock, ledgerPartitions, log);
  const stops: (() => Promise<void>)[] = [];
  let hasSent = false;
  const ended = new Map<string, HowEnded>();
  const owner: SourceOwner = {
    ...noOwner,
    async sourceEnded(ctx, { ownerId: id }, how) {
      ctx.sql.afterCommit(() => {
        assert.ok(!ended.has(id) || ended.get(id)?.kind !== "done", "a source ends once");
        ended.set(id, how);
      });
    },
  };
  const ctx: Bench["ctx"] = (work, accountId = own.accountId) =>
    db.transaction((tx) => work({ sql: tx, accountId, actor: { kind: "system", id: null }, clock, log }));
  const addAccount: Bench["addAccount"] = async ({ isNew = false } = {}) => {
    const account = await db.transaction((tx) => createAccount(tx, clock, { name: "Bench" }));
    if (!isNew)
      await db.execute(sql`delete from account_probations where account_id = ${account.account_id}`);
    return account.account_id;
  };
  const addList = async (accountId?: string) =>
    (await ctx((one) => createList(one, { name: "A list" }), accountId)).id;
  const own = { accountId: "", listId: "" };
  own.accountId = await addAccount();
  own.listId = await addList();

  return {
    url: database.url,
    db,
    listener,
    log,
    clock,
    ...own,
    ended,
    owner,
    ctx,
    addList,
    addAccount,
    async addSubscribers(emails, listId = own.listId, accountId = own.accountId) {
      const ids = emails.map(() => newId(clock));
      const contacts = emails.map(() => newId(clock));
      await db.transaction(async (tx) => {
        await tx.execute(sql`
          insert into contacts (account_id, id, address_hash, created_at)
          select ${accountId}, id, sha256(email::bytea), ${clock.now()}
          from unnest(${contacts}::uuid[], ${[...emails]}::text[]) as new (id, email)`);
        await tx.execute(sql`
          insert into subscribers (account_id, id, list_id, contact_id, email, email_key, first_name, fields, status, source,
                                   created_at, updated_at)
          select ${accountId}, id, ${listId}, contact_id, email, email, 'Ada', '{}', 'active', 'test', ${clock.now()}, ${clock.now()}
          from unnest(${ids}::uuid[], ${contacts}::uuid[], ${[...emails]}::text[]) as new (id, contact_id, email)`);
      });
      return ids;
    },
    async launch(more = {}, accountId) {
      const { id, revision, ...source } = {
        id: newId(clock),
        stream: "campaign" as const,
        audience: { listId: own.listId, segmentId: null },
        revision: { subject: "Hello" },
        onAmbiguous: "resend" as const,
        hasInstanceServer: options.hasRelay ?? false,
        isSandbox: !options.hasRelay,
        ownHost: undefined,
        ...more,
      };
      const launched = await ctx(async (one) => {
        const revisionId = await storeRevision(one.sql, one.accountId, revision, clock);
        return launchSource(one, { ...source, ownerId: id, revisionId });
      }, accountId);
      if (launched !== "launched") throw new Error(launched);
      return id;
    },
    counts: (sourceId, accountId = own.accountId) => readCounts(db, accountId, sourceId),
    async startJobs(more = {}) {
      const jobs = deliveryJobs({ owner, ...testSenderOptions, ...more });
      const shared = { connection: database.url, db, clock, log };
      const runner = await startJobRunner({ ...shared, jobs, concurrency: 4, onFinished: () => undefined });
      const watch = watchWorkers({ ...shared, free: async () => undefined });
      stops.push(
        () => runner.stop(2_000),
        () => watch.stop(),
      );
    },
    startWorker() {
      hasSent = true;
      return startWorker({ db, clock, log, kind: "sender", lockName: null, onLost: () => undefined });
    },
    async startSender(compose = composeSimply, more = {}) {
      hasSent = true;
      const composer = composerOf(db, compose);
      const shared = { db, clock, log, listener, composer, owner, ...testSenderOptions };
      const sender = await startSenders({ ...shared, ...more });
      const stop = () => sender.stop(5_000);
      stops.push(stop);
      return { stop };
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      try {
        if (hasSent && !options.writesLedger) await assertUsageAgrees(db);
      } finally {
        await listener.stop();
        await db.close();
        await database.drop();
      }
    },
  };
}

/** Reads the counters, and counts the rows themselves in the same snapshot. */
export function countTwice(
  { db }: Pick<Bench, "db">,
  accountId: string,
  ownerId: string,
): Promise<{ told: SourceCounts; counted: Record<string, number> }> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read`);
    const told = await readCounts(tx, accountId, ownerId);
    const rows = await tx.many<{ state: string; why: string | null; count: number }>(sql`
      select state, case state when 'skipped' then why end as why, count(*) as count from deliveries
      where account_id = ${accountId} and source_id in (
        select id from sources where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced')
      group by 1, 2`);
    const counted = Object.fromEntries(
      rows.map(({ state, why, count }) => [why ? `${state}.${why}` : state, count]),
    );
    return { told, counted };
  });
}

/** Asserts that both ways of counting agree, and that the states sum up to the recipients. */
export function assertAgree({ told, counted }: Awaited<ReturnType<typeof countTwice>>): void {
  const of = (state: string) => counted[state] ?? 0;
  const expected = {
    recipients: Object.values(counted).reduce((sum, count) => sum + count, 0),
    queued: of("ready") + of("inflight") + of("deferred"),
    sent: of("sent"),
    deferred: of("deferred"),
    failed: of("failed"),
    unknown: of("unknown"),
    suppressed: of("skipped.suppressed"),
    unsubscribed: of("skipped.unsubscribed"),
    invalid: of("skipped.invalid"),
    canceled: of("skipped.canceled"),
    deleted: of("skipped.deleted"),
  };
  const { recipients, queued, sent, deferred, failed, unknown, skipped } = told;
  const { suppressed, unsubscribed, invalid, canceled, deleted } = skipped;
  assert.deepEqual(
    {
      recipients,
      queued,
      sent,
      deferred,
      failed,
      unknown,
      suppressed,
      unsubscribed,
      invalid,
      canceled,
      deleted,
    },
    expected,
  );
}

let domains = 0;

/** Returns new addresses each time, because an address is one contact in its account. */
export function people(count: number, domain = `d${++domains}.example`): string[] {
  return Array.from({ length: count }, (_, n) => `person${n}@${domain}`);
}
