/** Measures reading a report of 909 KB, and the numbers of the DMARC page over a million rows. */

import { readDmarcReport } from "../../src/mail/dmarc-reports/dmarc-reports.ts";
import { NOON, recordOf, reportOf } from "../../src/mail/dmarc-reports/reports.fixture.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import { fillDatabase, startService } from "../send/service.ts";

const MOST_READ_MS = 30;
const MOST_PAGE_MS = 100;
const REPORT_BYTES = 909_000;
/** From so many days ago to so many: a month, all 13 months, and two ranges with mail before and after them. */
const RANGES = [
  [30, 0],
  [395, 0],
  [349, 16],
  [319, 49],
] as const;

export const dmarcBench: Bench = {
  name: "dmarc",
  summary: "milliseconds to read a report of 909 KB, and for the DMARC page over a million rows",
  async *run(setting) {
    yield await measureReading(setting);
    yield* measurePage(setting);
  },
};

async function measureReading({ sizes }: Setting): Promise<Result> {
  const size = recordOf().length;
  const records = Array.from({ length: Math.ceil(REPORT_BYTES / size) }, (_, n) =>
    recordOf({ ip: `10.1.${n >> 8}.${n & 255}` }),
  );
  const xml = Buffer.from(reportOf({ records }));
  const read = () => timed(() => readDmarcReport(xml, { now: NOON }));
  for (let round = 0; round < 10; round++) await read();
  const times: number[] = [];
  for (let round = 0; round < sizes.rounds * 4; round++) times.push(await read());
  return judge(`a report of ${Math.round(xml.length / 1_000)} KB is read`, times, MOST_READ_MS);
}

async function* measurePage(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "dmarc", 1);
  await fillReports(database.env["DATABASE_URL"] ?? "", setting.sizes.rows);
  const service = await startService(database, { roles: "api" });
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  try {
    for (const groupBy of ["source", "reporter", "day", "selector"])
      for (const [first, last] of RANGES) {
        const path = `/deliverability/dmarc?group_by=${groupBy}&from=${day(first)}&to=${day(last)}`;
        const times: number[] = [];
        await service.ask("GET", path);
        for (let round = 0; round < setting.sizes.rounds * 2; round++)
          times.push(await timed(() => service.ask("GET", path)));
        yield judge(`the page by ${groupBy} over ${first - last} days`, times, MOST_PAGE_MS);
      }
  } finally {
    await service.program.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function judge(name: string, times: readonly number[], mostMs: number): Result {
  const ours = median(times);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return {
    figure: { name, ours, reference: null, ratio: null, asked: mostMs, ok: ours <= mostMs },
    unit: "ms",
    headline: `ours ${spread(times, ms)}, asked ≤ ${mostMs} ms`,
    details: [],
  };
}

/** Writes rows of one domain over 13 months: about 2,500 sources a day of 5,000, each told of by some of 20 reporters. */
async function fillReports(url: string, rows: number): Promise<void> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({
    connection: url,
    poolSize: 1,
    applicationName: "bench",
    log,
    statementTimeoutMs: 600_000,
  });
  try {
    await db.execute(sql`
      insert into domains (account_id, id, name, status, return_path_ok, tracking_ok, tracking_cname_ok, ed25519, version,
        keys_version, records, looks, next_check_at, created_at, updated_at)
      select account_id, gen_random_uuid(), 'acme.example', 'verified', false, false, false, false, 1, 1, '[]', 0, 'infinity', now(), now()
      from accounts limit 1`);
    await db.execute(sql`
      insert into dmarc_rows
      select account_id, id, current_date - (n % 395)::int, '10.0.0.0'::inet + ((n / 395 * 7 + n % 395 * 131) % 5000),
        'reporter-' || (n / 395 % 20) || '.example', 's' || (n / 395 % 3), (array['none', 'quarantine', 'reject'])[1 + n / 395 % 3],
        n % 2 = 0, n % 3 = 0, 1 + n % 50
      from domains, generate_series(0, ${rows - 1}::bigint) as n on conflict do nothing`);
    await db.execute(sql`
      insert into dmarc_daily
      select account_id, domain_id, g.grouping, day, g.key, sum(messages),
        coalesce(sum(messages) filter (where dkim_aligned or spf_aligned), 0),
        coalesce(sum(messages) filter (where dkim_aligned), 0), coalesce(sum(messages) filter (where spf_aligned), 0),
        coalesce(sum(messages) filter (where disposition = 'none'), 0),
        coalesce(sum(messages) filter (where disposition = 'quarantine'), 0),
        coalesce(sum(messages) filter (where disposition = 'reject'), 0)
      from dmarc_rows, lateral (values ('day', ''), ('reporter', reporter), ('selector', selectors)) as g (grouping, key)
      group by account_id, domain_id, g.grouping, day, g.key`);
    await db.execute(sql`
      insert into dmarc_source_counts
      select account_id, domain_id, s.span, s.begins, source_ip, max(day), sum(messages),
        coalesce(sum(messages) filter (where dkim_aligned or spf_aligned), 0),
        coalesce(sum(messages) filter (where dkim_aligned), 0), coalesce(sum(messages) filter (where spf_aligned), 0),
        coalesce(sum(messages) filter (where disposition = 'quarantine'), 0),
        coalesce(sum(messages) filter (where disposition = 'reject'), 0)
      from dmarc_rows, lateral (values ('day', day),
        ('third', date_trunc('month', day)::date + least(2, (extract(day from day)::int - 1) / 10) * 10),
        ('month', date_trunc('month', day)::date), ('quarter', date_trunc('quarter', day)::date)) as s (span, begins)
      group by account_id, domain_id, s.span, s.begins, source_ip order by max(day), source_ip`);
    await db.execute(sql`
      insert into dmarc_sources
      select account_id, source_ip, null, case when source_ip < '10.0.1.0' then 'google_workspace' end, max(day), now(), now(), now()
      from dmarc_rows group by account_id, source_ip`);
    await db.execute(sql`analyze dmarc_rows, dmarc_daily, dmarc_source_counts, dmarc_sources`);
  } finally {
    await db.close();
  }
}
