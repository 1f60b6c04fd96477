/** Measures the numbers of the Providers page over 13 months, with counts for each hour of a week, and for each day before, of every flow. */
import { rollUp } from "../../src/delivery/reputation/roll-up.ts";
import { MAILBOX_PROVIDERS } from "../../src/mail/mailbox-providers/mailbox-providers.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import { fillDatabase, startService } from "../send/service.ts";

const MOST_MS = 100;
const DAYS = 395;
/** Two transports and three domains, to every provider of the table. */
const TRANSPORTS = 2;
const DOMAINS = 3;
const PAGES = [
  ["30 days by day", 29, "day"],
  ["13 months by week", DAYS - 1, "week"],
  ["13 months by month", DAYS - 1, "month"],
] as const;

export const providersBench: Bench = {
  name: "providers",
  summary:
    "milliseconds for the Providers page over 13 months, two transports, three domains and every provider",
  async *run(setting) {
    yield* measurePage(setting);
  },
};

async function* measurePage(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "providers", 1);
  const keys = MAILBOX_PROVIDERS.map(({ key }) => `('${key}')`).join(", ");
  await database.query(`
    insert into mail_flows (account_id, transport_id, from_domain, provider, created_at)
    select a.account_id, ('00000000-0000-7000-8000-00000000000' || t)::uuid, 'news' || d || '.example', p.key, now()
    from accounts a, generate_series(1, ${TRANSPORTS}) as t, generate_series(1, ${DOMAINS}) as d, (values ${keys}) as p (key)`);
  await database.query(`
    insert into mail_flow_days (account_id, day, flow_id, accepted, refused, deferred, hard, soft, opened, clicked)
    select account_id, current_date - n, id, 900, 10, 40, 8, 2, 300, 50
    from mail_flows, generate_series(8, ${DAYS}) as n order by n desc, id`);
  await database.query(`
    insert into mail_flow_hours (account_id, hour, flow_id, worker_id, accepted, opened)
    select account_id, date_trunc('hour', now()) - make_interval(hours => n), id, gen_random_uuid(), 40, 12
    from mail_flows, generate_series(0, 8 * 24 - 1) as n order by n desc, id`);
  const rolledMs = await addUp(setting, database.env["DATABASE_URL"] ?? "");
  // What a year's changes leave behind is removed as they come, and not all at once.
  await database.query("vacuum (full, analyze) mail_flow_spans");
  await database.query("vacuum analyze");
  const service = await startService(database, { roles: "api" });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  try {
    for (const [name, ago, interval] of PAGES) {
      const path = `/deliverability/providers?from=${day(ago)}&interval=${interval}`;
      const times: number[] = [];
      await service.ask("GET", path);
      for (let round = 0; round < setting.sizes.rounds * 2; round++) {
        const start = performance.now();
        await service.ask("GET", path);
        times.push(performance.now() - start);
      }
      yield judge(`the page over ${name}`, times, [
        `adding up the hours before took ${rolledMs.toFixed(0)} ms`,
      ]);
    }
  } finally {
    await service.program.stop();
  }
}

/** Runs what the job does each hour, and returns how long a run takes that has a whole week to add up. */
async function addUp({ note }: Setting, connection: string): Promise<number> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({
    connection,
    poolSize: 1,
    applicationName: "bench",
    log,
    statementTimeoutMs: 600_000,
  });
  try {
    const start = performance.now();
    await rollUp(db, new Date(), { aborted: false });
    note("providers: the hours are added up");
    return performance.now() - start;
  } finally {
    await db.close();
  }
}

function judge(name: string, times: readonly number[], details: readonly string[]): Result {
  const ours = median(times);
  return {
    figure: { name, ours, reference: null, ratio: null, asked: MOST_MS, ok: ours <= MOST_MS },
    unit: "ms",
    headline: `ours ${spread(times, (value) => `${value.toFixed(1)} ms`)}, asked ≤ ${MOST_MS} ms`,
    details,
  };
}
