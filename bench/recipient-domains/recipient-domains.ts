/** Measures how long 100,000 wanted domains take to be looked up by one process, 50 at a time, and to be kept. */
import { join } from "node:path";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createDns } from "../../src/platform/dns.ts";
import { createLog } from "../../src/platform/log.ts";
import { lookUpDue } from "../../src/recipient-domains/looking-up.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { startProgram } from "../harness/program.ts";

const DOMAINS = 100_000;
const MOST_SECONDS = 60;
/** How long the name server takes for each answer. A domain's addresses are asked for once its servers are known. */
const DELAYS_MS = [0, 10];

export const recipientDomainsBench: Bench = {
  name: "recipient-domains",
  summary: "seconds in which 100,000 domains are looked up, 50 at a time",
  async *run(setting) {
    for (const delayMs of DELAYS_MS) yield await measure(setting, delayMs);
  },
};

async function measure({ sizes, postgres, folder }: Setting, delayMs: number): Promise<Result> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const connection = await postgres.createDatabase(`bench_recipient_domains_${delayMs}`);
  const db = createDb({
    connection,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 600_000,
  });
  const server = startProgram({
    file: join(import.meta.dirname, "dns-process.ts"),
    args: [`${delayMs}`],
    cwd: folder,
  });
  try {
    const port = await server.hear((said) => (said as { port?: number }).port);
    const count = Math.ceil(DOMAINS * sizes.scale);
    await db.execute(sql`
      insert into wanted_domains (name, next_at)
      select 'domain' || n || '.net', now() - interval '1 minute' from generate_series(1, ${count}::int) as n`);
    const dns = createDns({ servers: [`127.0.0.1:${port}`] });
    const cpuBefore = process.cpuUsage();
    const start = performance.now();
    await lookUpDue({ db, clock: systemClock, log, dns }, new AbortController().signal);
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    const [{ known } = { known: 0 }] = await db.many<{ known: number }>(
      sql`select count(*)::int as known from recipient_domains where state = 'mx'`,
    );
    if (known !== count) throw new Error(`only ${known} of ${count} domains are known`);
    const ours = (seconds / count) * DOMAINS;
    return {
      figure: {
        name: `100,000 domains are looked up, of a server that answers after ${delayMs} ms`,
        ours,
        reference: null,
        ratio: null,
        asked: MOST_SECONDS,
        ok: ours <= MOST_SECONDS,
      },
      unit: "s",
      headline: `ours ${ours.toFixed(1)} s, asked ≤ ${MOST_SECONDS} s`,
      details: [
        `${count} looked up in ${seconds.toFixed(1)} s, each with three questions; CPU a domain: ${((user + system) / 1_000 / count).toFixed(3)} ms`,
      ],
    };
  } finally {
    await server.stop();
    await db.close();
  }
}
