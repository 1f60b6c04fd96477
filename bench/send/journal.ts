/**
 * Measures what the ledger costs PostgreSQL for each mail right after the first campaign was planned, when nothing is
 * analysed yet.
 */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import pg from "pg";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { launchSource } from "../../src/delivery/delivery.ts";
import {
  type Entry,
  markInflight,
  type Settled,
  writeAccepted,
} from "../../src/delivery/ledger/journal-store.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { clientConfigFor, createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { queryable } from "../../src/platform/db/queryable.ts";
import { queryConfig } from "../../src/platform/db/send.ts";
import { fromPublicId, newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { startWorker } from "../../src/platform/workers/workers.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import { type FilledDatabase, fillDatabase } from "./service.ts";

const PEOPLE = 50_000;
const GROUP_SIZES = [100, 200];
const ROWS_OF_EACH = 20_000;
const ASKED_US = { admission: 15, outcomes: 25 };
const REPLY = "250 2.0.0 Ok: queued as 4bXy7Qz1Tz9";

type Costs = { readonly admission: number[]; readonly outcomes: number[] };

export async function* journalFigures(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "send_young", PEOPLE);
  await forgetAll(database);
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const options = {
    connection: String(database.env["DATABASE_URL"]),
    applicationName: "bench",
    statementTimeoutMs: 60_000,
  };
  const db = createDb({ ...options, poolSize: 2, log });
  const client = new pg.Client(clientConfigFor({ ...options, plansOnce: true }));
  await client.connect();
  // This thread keeps the machine awake, as a working sender does: one that sleeps between two statements takes a
  // third longer for each.
  const awake = new Worker("for (;;);", { eval: true });
  try {
    const costs = await measureGroups(db, client, database);
    for (const what of ["admission", "outcomes"] as const) yield judge(what, costs);
  } finally {
    await awake.terminate();
    await client.end();
    await db.close();
  }
}

/** Puts the database into the state in which nothing was ever analysed, for as long as it is measured. */
async function forgetAll({ query }: FilledDatabase): Promise<void> {
  await query("alter system set autovacuum = off");
  await query("select pg_reload_conf()");
  await query("delete from pg_statistic");
  await query(
    "update pg_class set relpages = 0, reltuples = -1, relallvisible = 0 where relnamespace = 'public'::regnamespace",
  );
}

async function measureGroups(
  db: Db,
  client: pg.Client,
  { listId }: FilledDatabase,
): Promise<Map<number, Costs>> {
  const log = createLog({ level: "silent", pretty: false });
  const { account_id: accountId } = await db.one<{ account_id: string }>(
    sql`select account_id from accounts`,
  );
  const worker = await startWorker({
    db,
    clock,
    log,
    kind: "sender",
    lockName: null,
    onLost: () => undefined,
  });
  const sourceId = newId(clock);
  await db.transaction((tx) =>
    launchSource(
      { sql: tx, accountId, actor: { kind: "system", id: null }, clock, log },
      {
        ownerId: sourceId,
        stream: "campaign",
        audience: { listId: fromPublicId("lst", listId) ?? "", segmentId: null },
        revisionId: newId(clock),
        onAmbiguous: "resend",
        hasInstanceServer: false,
        isSandbox: true,
        ownHost: undefined,
      },
    ),
  );
  const idsOf = campaignOwner.idsInEvents({ stream: "campaign", ownerId: sourceId });
  while (await planSlice({ db, clock, log, owner: campaignOwner }, accountId, sourceId));
  const entries = await readEntries(db, sourceId);
  const sender = queryable((statement) => client.query(queryConfig(statement)));
  const usedUs = await meterOf(client);
  const costs = new Map<number, Costs>();
  for (const size of GROUP_SIZES) {
    const cost: Costs = { admission: [], outcomes: [] };
    for (let row = 0; row < ROWS_OF_EACH; row += size) {
      const group = entries.splice(0, size);
      const admit = async () => {
        const held = await markInflight(sender, worker, accountId, sourceId, group, clock.now());
        if (held.length !== size) throw new Error(`${held.length} of ${size} were admitted`);
      };
      cost.admission.push(await usedUs(size, admit));
      const settled = group.map(acceptedOf);
      const events = eventsOf(clock, idsOf, settled);
      const outcomes = { accountId, sourceId, settled, now: clock.now() };
      cost.outcomes.push(await usedUs(size, () => writeAccepted(sender, worker, outcomes, events)));
    }
    costs.set(size, cost);
  }
  await worker.stop();
  return costs;
}

/** Reads the entries in the order of the batches, in which a sender comes to them. */
async function readEntries(db: Db, sourceId: string): Promise<Entry[]> {
  const rows = await db.many<{ contact_id: string; subscriber_id: string }>(sql`
    select d.contact_id, d.subscriber_id from batches b cross join unnest(b.contacts) with ordinality as c (id, at)
    join deliveries d on d.account_id = b.account_id and d.source_id = b.source_id and d.contact_id = c.id
    where b.source_id = ${sourceId} order by b.n, c.at`);
  const date = clock.now();
  return rows.map((row) => ({
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    attempt: 1,
    date,
  }));
}

function acceptedOf({ contactId, subscriberId, attempt }: Entry): Settled {
  const settlement = {
    state: "sent",
    why: null,
    bounce: null,
    code: 250,
    reply: REPLY,
    dueAt: null,
  } as const;
  return { contactId, subscriberId, attempt, ...settlement };
}

/**
 * Measures, for each row, the processor time of the connection's own server process, commit included. Where there is
 * no Linux it measures the time taken.
 */
async function meterOf(client: pg.Client) {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const nowUs = () => {
    try {
      return Number(readFileSync(`/proc/${rows[0].pid}/schedstat`, "latin1").split(" ")[0]) / 1_000;
    } catch {
      return performance.now() * 1_000;
    }
  };
  return async (size: number, work: () => Promise<unknown>): Promise<number> => {
    const beforeUs = nowUs();
    await work();
    // The server finishes whatever it does after its last answer before it answers this.
    await client.query("");
    return (nowUs() - beforeUs) / size;
  };
}

function judge(what: keyof Costs, costs: ReadonlyMap<number, Costs>): Result {
  const show = (us: number) => `${us.toFixed(1)} µs`;
  const each = [...costs].map(([size, cost]) => ({ size, us: cost[what] }));
  const ours = Math.max(...each.map(({ us }) => median(us)));
  const asked = ASKED_US[what];
  return {
    figure: {
      name: `PostgreSQL's time for a row's ${what}, on a ledger never analysed`,
      ours,
      reference: null,
      ratio: null,
      asked,
      ok: ours <= asked,
    },
    unit: "µs",
    headline: `ours ${show(ours)}, asked ≤ ${show(asked)}`,
    details: each.map(({ size, us }) => `in groups of ${size} ${spread(us, show)}`),
  };
}
