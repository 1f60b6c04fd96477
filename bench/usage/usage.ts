/** Measures what counting usage costs while mail is sent, and how long it takes to read an account's usage among many. */
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, percentile99, spread } from "../harness/numbers.ts";
import { fillDatabase, startService } from "../send/service.ts";
import { meteringFigures, quotaFigures } from "./metering.ts";

const ACCOUNTS = 1_000;
const HOURS = 62 * 24;
const MOST_MS = 20;
const REQUESTS_A_ROUND = 200;

export const usageBench: Bench = {
  name: "usage",
  summary:
    "campaigns of a fiftieth of --rows with and without counting usage, and with and without an allowance; reading a month of it among 1,000 accounts",
  parts: ["metering", "quota", "reading"],
  async *run(setting) {
    const has = (part: string) => !setting.part || setting.part === part;
    if (has("metering")) yield* meteringFigures(setting);
    if (has("quota")) yield* quotaFigures(setting);
    if (has("reading")) yield await readingFigure(setting);
  },
};

/** Each account has two months of two streams; the hours of the last week are by two workers. */
async function readingFigure(setting: Setting): Promise<Result> {
  const database = await fillDatabase(setting, "usage_read", 1);
  const accounts = Math.ceil(ACCOUNTS * setting.sizes.scale);
  await database.query(`
    insert into usage_hours (account_id, hour, stream, via, worker_id, sent)
    select a.id, date_trunc('hour', now()) - make_interval(hours => n), s.stream, 'instance', w.id, 40
    from (select account_id as id from accounts union all select gen_random_uuid() from generate_series(2, ${accounts})) as a,
         generate_series(0, ${HOURS}) as n, (values ('campaign'), ('transactional')) as s (stream),
         lateral (select case when n < 168 then gen_random_uuid() else '00000000-0000-0000-0000-000000000000' end as id
                  from generate_series(1, case when n < 168 then 2 else 1 end)) as w`);
  await database.query("vacuum analyze usage_hours");
  const service = await startService(database, { roles: "api" });
  try {
    const times: number[] = [];
    for (let n = -50; n < REQUESTS_A_ROUND * setting.sizes.rounds; n++) {
      const start = performance.now();
      await service.ask("GET", "/usage");
      if (n >= 0) times.push(performance.now() - start);
    }
    return judge(`GET /v1/usage among ${accounts} accounts, p99`, times);
  } finally {
    await service.program.stop();
  }
}

function judge(name: string, times: readonly number[]): Result {
  const ours = percentile99(times);
  return {
    figure: { name, ours, reference: null, ratio: null, asked: MOST_MS, ok: ours <= MOST_MS },
    unit: "ms",
    headline: `p99 ${ours.toFixed(1)} ms, median ${median(times).toFixed(1)} ms, asked ≤ ${MOST_MS} ms`,
    details: [spread(times, (value) => `${value.toFixed(1)} ms`)],
  };
}
