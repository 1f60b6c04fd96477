/** Sends campaigns with and without counting usage, or mail by provider, or with and without an allowance, in turns and by one sender, and compares speed and write-ahead log. */
import { launchSource, removeAllowance, startSenders, writeAllowance } from "../../src/delivery/delivery.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { MAILBOX_PROVIDERS } from "../../src/mail/mailbox-providers/mailbox-providers.ts";
import { storeRevision } from "../../src/messages/messages.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { fromPublicId, newId } from "../../src/platform/ids.ts";
import { createLog, type Log } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { composerOf, composeSimply, noOwner } from "../../test/support/delivery.ts";
import { until } from "../../test/support/until.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import { median, spread } from "../harness/numbers.ts";
import { type Sink, startSink } from "../mail/sink.ts";
import { type FilledDatabase, fillDatabase } from "../send/service.ts";

const ASKED = { usage: 0.98, flows: 0.97, quota: 0.99 };
/** What a sender counts beside the ledger. */
type Counting = { readonly countsUsage: boolean; readonly countsFlows: boolean };
const ALL: Counting = { countsUsage: true, countsFlows: true };
const MOST_WAL_BYTES = 15;
const GENERATED_DOMAINS = 97;
const CONNECTIONS = 20;
const DONE_WITHIN_MS = 300_000;

type Tools = { readonly db: Db; readonly log: Log; readonly url: string; readonly accountId: string };

export async function* meteringFigures(setting: Setting): AsyncIterable<Result> {
  yield* sendingFigures(setting, "usage", async function* ({ contest, db }) {
    const usage = await contest("usage counted", ASKED.usage, {
      ours: ALL,
      reference: { ...ALL, countsUsage: false },
    });
    yield usage.judged;
    yield judgeWal(usage.ours, usage.reference);
    const without = { ...ALL, countsFlows: false };
    for (const { what, weights } of MIXES) {
      await giveToProviders(db, weights);
      yield (await contest(`providers counted, ${what}`, ASKED.flows, { ours: ALL, reference: without }))
        .judged;
    }
  });
}

/** Sends with an allowance that is never used up, and without one. Every lease of the limited account locks it and counts. */
export async function* quotaFigures(setting: Setting): AsyncIterable<Result> {
  yield* sendingFigures(setting, "quota", async function* ({ contest }) {
    const limited = { ...ALL, isLimited: true };
    yield (await contest("an allowance", ASKED.quota, { ours: limited, reference: ALL })).judged;
  });
}

/** Whose mailboxes a list of consumers has, about; the rest belongs to one each of other providers. */
const USUAL = {
  google: 40,
  microsoft: 14,
  microsoft365: 6,
  yahoo: 12,
  apple: 8,
  gmx: 5,
  comcast: 3,
  orange: 2,
};
const EVENLY = Object.fromEntries(MAILBOX_PROVIDERS.map(({ key }) => [key, 1]));
/** How the generator's domains are dealt out. Each group of outcomes adds to a row of each provider in it, so that many providers cost more. */
const MIXES = [
  { what: "a usual mix of them", weights: USUAL },
  { what: "evenly of all", weights: EVENLY },
] as const;

/** Lets the generator's domains be those of customers of these providers, as jobs would have found by the DNS. */
async function giveToProviders(db: Db, weights: Readonly<Record<string, number>>): Promise<void> {
  const serverOf = ({ mx }: (typeof MAILBOX_PROVIDERS)[number]) =>
    mx[0] === undefined ? [] : [`mx.${mx[0]}`];
  const weighed = MAILBOX_PROVIDERS.flatMap((one) =>
    Array.from({ length: weights[one.key] ?? 0 }, () => serverOf(one)).flat(),
  );
  const rest = MAILBOX_PROVIDERS.flatMap((one) => (weights[one.key] ? [] : serverOf(one)));
  const servers = [...weighed, ...rest].slice(0, GENERATED_DOMAINS);
  await db.execute(sql`
    insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
    select domain, 'mx', array[(${servers}::text[])[1 + nth % ${servers.length}::int]], now(), now() + interval '30 days'
    from (select domain, row_number() over (order by domain)::int as nth from (select distinct split_part(email, '@', -1) as domain from subscribers) as known) as one
    on conflict (name) do update set state = 'mx', servers = excluded.servers, fresh_until = excluded.fresh_until`);
}

type Run = Counting & { readonly isLimited?: boolean };
type Contest = (
  name: string,
  asked: number,
  runs: { readonly ours: Run; readonly reference: Run },
) => Promise<{
  readonly ours: readonly Sample[];
  readonly reference: readonly Sample[];
  readonly judged: Result;
}>;

async function* sendingFigures(
  setting: Setting,
  name: string,
  figures: (tools: { readonly contest: Contest; readonly db: Db }) => AsyncIterable<Result>,
): AsyncIterable<Result> {
  const recipients = Math.ceil(setting.sizes.rows / 50);
  const database = await fillDatabase(setting, name, recipients);
  const sink = await startSink(setting.folder);
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const url = String(database.env["DATABASE_URL"]);
  const db = createDb({
    connection: url,
    poolSize: 8,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  try {
    const { id: accountId } = await db.one<{ id: string }>(sql`select account_id as id from accounts`);
    const tools = { db, log, url, accountId };
    const run =
      ({ isLimited = false, ...counting }: Run) =>
      async () => {
        await limit(tools, isLimited);
        return sendOnce(setting, tools, database, sink, counting);
      };
    // This compiles the code that handles each message.
    await run(ALL)();
    const contest: Contest = async (what, asked, { ours, reference }) => {
      const promised = { name: `${recipients} mails with ${what}, to without`, unit: "mail", asked };
      const samples = await runInTurns({ ...promised, ours: run(ours), reference: run(reference) }, setting);
      return { ...samples, judged: judgeContest(promised, samples) };
    };
    yield* figures({ contest, db });
  } finally {
    await db.close();
    await sink.stop();
  }
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** Gives the account an allowance of which there is always enough, or takes it away. */
async function limit({ db, accountId }: Tools, isLimited: boolean): Promise<void> {
  const now = clock.now();
  const period = { from: new Date(now.getTime() - YEAR_MS), to: new Date(now.getTime() + YEAR_MS) };
  const allowed = { mails: 1_000_000_000, dailyMails: null, freeMails: null, transactionalReserve: 1_000 };
  await db.transaction((tx) =>
    isLimited
      ? writeAllowance(tx, accountId, { timeZone: "UTC", periods: [{ ...period, ...allowed }], now })
      : removeAllowance(tx, accountId),
  );
}

/** Plans a campaign, and measures from the start of the sender to the end of the source. */
async function sendOnce(
  { postgres }: Setting,
  { db, log, url, accountId }: Tools,
  { listId }: FilledDatabase,
  sink: Sink,
  counting: Counting,
): Promise<Sample> {
  const ownerId = newId(clock);
  const actor = { kind: "system", id: null } as const;
  await db.transaction(async (tx) => {
    const revisionId = await storeRevision(tx, accountId, { subject: "Hello" }, clock);
    const launched = await launchSource(
      { sql: tx, accountId, actor, clock, log },
      {
        ownerId,
        stream: "campaign",
        audience: { listId: fromPublicId("lst", listId) ?? "", segmentId: null },
        revisionId,
        onAmbiguous: "resend",
        hasInstanceServer: true,
        isSandbox: false,
        ownHost: undefined,
      },
    );
    if (launched !== "launched") throw new Error(launched);
  });
  while (await planSlice({ db, clock, log, owner: noOwner }, accountId, ownerId));
  const listener = createListener(url, log);
  try {
    return await measure(postgres, process.pid, async () => {
      const startMs = performance.now();
      const sender = await startSenders({
        db,
        clock,
        log,
        listener,
        secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
        internalHosts: [],
        composer: composerOf(db, composeSimply),
        owner: noOwner,
        relay: { host: "127.0.0.1", port: sink.port, maxConnections: CONNECTIONS },
        ...counting,
      });
      await until(async () => {
        const { state } = await db.one<{ state: string }>(
          sql`select state from sources where account_id = ${accountId} and id = ${ownerId}`,
        );
        if (state !== "running" && state !== "finished") throw new Error(`the source is ${state}`);
        return state === "finished";
      }, DONE_WITHIN_MS);
      const seconds = (performance.now() - startMs) / 1_000;
      await sender.stop(5_000);
      const { sent } = await db.one<{ sent: number }>(sql`
        select sum(count)::bigint as sent from counters where account_id = ${accountId} and source_id = ${ownerId} and what = 'sent'`);
      return { units: sent, seconds };
    });
  } finally {
    await listener.stop();
  }
}

function judgeWal(ours: readonly Sample[], reference: readonly Sample[]): Result {
  const more = ours.map((one, round) => one.walBytes - (reference[round]?.walBytes ?? Number.NaN));
  const value = median(more);
  return {
    figure: {
      name: "write-ahead log of counting usage",
      ours: value,
      reference: null,
      ratio: null,
      asked: MOST_WAL_BYTES,
      ok: value <= MOST_WAL_BYTES,
    },
    unit: "byte",
    headline: `${spread(more, (bytes) => `${bytes.toFixed(1)} bytes a mail`)} more, asked ≤ ${MOST_WAL_BYTES}`,
    details: [
      `with    ${spread(
        ours.map(({ walBytes }) => walBytes),
        (bytes) => `${bytes.toFixed(0)} bytes a mail`,
      )}`,
      `without ${spread(
        reference.map(({ walBytes }) => walBytes),
        (bytes) => `${bytes.toFixed(0)} bytes a mail`,
      )}`,
    ],
  };
}
