/**
 * Counts what PostgreSQL writes for mails that wait: because the day's cap of a warm-up is used up, because their provider is closed, and both
 * one after the other. It is a count of rows, so that the machine's pace and whatever else runs on it don't change it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { INSTANCE_TRANSPORT } from "../../src/delivery/delivery.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { type Sink, startSink } from "../mail/sink.ts";
import {
  type FilledDatabase,
  fillDatabase,
  makeCampaign,
  type Service,
  startService,
} from "../send/service.ts";

const PARTS = ["caps", "closings", "both"];
const MOST_WRITES = 1;
/** So many mails the plan allows on its first day. */
const CAP = 500;
const LOOK_EVERY_MS = 1_000;
const QUIET_MS = 60_000;
/** What waits is watched for so long, in which it must cost nothing. */
const WATCHED_MS = 20_000;
const TOLD_MS = 12_000;

export const heldBench: Bench = {
  name: "held",
  summary:
    "rows that are written for each mail that waits: for the next day of a warm-up, and for a closed provider",
  parts: PARTS,
  async *run(setting) {
    for (const part of PARTS) if ((setting.part ?? part) === part) yield await measure(setting, part);
  },
};

async function measure(setting: Setting, part: string): Promise<Result> {
  const rows = setting.sizes.rows;
  const filled = await fillDatabase(setting, `held_${part}`, rows);
  const database = { ...filled, env: { ...filled.env, INTERNAL_HOSTS: "127.0.0.1" } };
  const sink = await startSink(setting.folder);
  const relay = { port: sink.port, connections: 20 };
  await makeDomainsGoogles(database);
  const service = await startService(database, { roles: "api,jobs,sender", relay });
  try {
    return part === "closings"
      ? await holdByClosing(setting, database, service, sink)
      : await holdByCaps(setting, database, service, sink, part === "both");
  } finally {
    await service.program.stop();
    await sink.stop();
  }
}

/** The generator's people are at 97 domains; here all of them have their mailboxes at Google. */
async function makeDomainsGoogles({ query }: FilledDatabase): Promise<void> {
  await query(`
    insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
    select 'example' || n || '.com', 'mx', '{aspmx.l.google.com}', now(), now() + interval '1 day' from generate_series(0, 96) as n`);
}

async function holdByCaps(
  setting: Setting,
  database: FilledDatabase,
  service: Service,
  sink: Sink,
  isClosed: boolean,
): Promise<Result> {
  const { ask } = service;
  const transport = {
    name: "Warming",
    host: "127.0.0.1",
    port: sink.port,
    tls: "never",
    streams: ["campaign"],
  };
  const { id } = await ask("POST", "/transports", transport);
  await ask("PUT", `/transports/${id}/warmup`, { start_per_day: CAP, growth: 1.5, target_per_day: CAP });
  if (isClosed) await closeGoogle(database, "t.account_id, t.id", "transports t");
  const campaign = await makeCampaign(service, database);
  await ask("POST", `/campaigns/${campaign}/send`);
  const isHeldBy = (by: string) => async () => {
    const { progress } = await ask("GET", `/campaigns/${campaign}`);
    return progress.phase === "held" && progress.held.by === by;
  };
  if (isClosed) {
    await untilAtRest(setting, database, isHeldBy("provider"));
    await openGoogle(database);
  }
  await untilAtRest(setting, database, isHeldBy("transport"));
  return report(`held back by a warm-up${isClosed ? " after a closing" : ""}`, database, await sink.count());
}

/** Lets the time pass until the provider has opened and its slow beginning is over. */
async function openGoogle({ query }: FilledDatabase): Promise<void> {
  await query(`
    update provider_closings set closed_at = now() - interval '1 hour', until = now() - interval '20 minutes'`);
  await query(`update retries set due_at = now() where not claimed`);
  await query(`update batches set not_before = now() where not_before is not null`);
}

async function closeGoogle({ query }: FilledDatabase, whose: string, from: string): Promise<void> {
  await query(`
    insert into provider_closings (account_id, transport_id, provider, from_domain, closed_at, until, times, reason, told_by, met_by)
    select ${whose}, 'google', '', now(), now() + interval '3 hours', 1, 'rate', 'session', account_id from ${from}`);
}

async function holdByClosing(
  setting: Setting,
  database: FilledDatabase,
  service: Service,
  sink: Sink,
): Promise<Result> {
  const everybody = `'${INSTANCE_TRANSPORT}'::uuid, '${INSTANCE_TRANSPORT}'::uuid`;
  await closeGoogle(database, everybody, "accounts");
  const campaign = await makeCampaign(service, database);
  await service.ask("POST", `/campaigns/${campaign}/send`);
  await untilAtRest(setting, database, async () => {
    const { progress } = await service.ask("GET", `/campaigns/${campaign}`);
    return progress.phase === "retrying";
  });
  return report("put off for a closed provider", database, await sink.count());
}

/** Waits until all are held, and gives up where nothing is written for a minute. */
async function untilAtRest(
  { note }: Setting,
  database: FilledDatabase,
  isAtRest: () => Promise<boolean>,
): Promise<void> {
  let [written, changedMs] = [-1, performance.now()];
  for (;;) {
    const { ledger, batches, retries, planned } = await readWrites(database);
    const all = ledger + batches + retries + planned;
    if (all === written && (await isAtRest())) return;
    if (all !== written) [written, changedMs] = [all, performance.now()];
    if (performance.now() - changedMs > QUIET_MS) throw new Error("nothing is written, and not all are held");
    note(`held: ${planned} planned, ${ledger + retries} writes to rows, ${batches} to batches`);
    await sleep(LOOK_EVERY_MS);
  }
}

type Writes = {
  readonly planned: number;
  readonly ledger: number;
  readonly batches: number;
  readonly retries: number;
};

/** Counters of the server come within a second of the commit. */
async function readWrites({ query }: FilledDatabase): Promise<Writes> {
  const [row] = await query(`
    select coalesce(sum(n_tup_ins) filter (where relname like 'deliveries%'), 0)::int as planned,
           coalesce(sum(n_tup_upd + n_tup_del) filter (where relname like 'deliveries%'), 0)::int as ledger,
           coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname = 'batches'), 0)::int as batches,
           coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname = 'retries'), 0)::int as retries
    from pg_stat_user_tables`);
  return row as Writes;
}

async function report(what: string, database: FilledDatabase, sent: number): Promise<Result> {
  // A connection that does nothing tells its counters after ten seconds at most.
  await sleep(TOLD_MS);
  const { planned, ledger, batches, retries } = await readWrites(database);
  await sleep(WATCHED_MS);
  const later = await readWrites(database);
  const meanwhile = later.ledger + later.batches + later.retries - ledger - batches - retries;
  const waiting = planned - sent;
  // A row that waits for a time is listed in `retries`, in the same statement; what is counted is how often the ledger's row is written. Each mail
  // that left has written its row twice, which is none of theirs.
  const ours = (ledger - 2 * sent + meanwhile) / waiting;
  return {
    figure: {
      name: `writes a mail that is ${what}`,
      ours,
      reference: null,
      ratio: null,
      asked: MOST_WRITES,
      ok: ours <= MOST_WRITES && meanwhile === 0,
    },
    unit: "write",
    headline: `ours ${ours.toFixed(4)}, asked ≤ ${MOST_WRITES}`,
    details: [
      `${waiting} of ${planned} wait, ${sent} were sent: ${ledger} writes to rows of the ledger, ${batches} to batches, ${retries} to the list of times`,
      `within ${WATCHED_MS / 1_000} s in which they waited: ${meanwhile} writes`,
    ],
  };
}
