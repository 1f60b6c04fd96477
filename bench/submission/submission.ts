/** Measures how many mails of 10 KB a second are submitted by SMTP, each answered once it is durable. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Setting } from "../harness/bench.ts";
import { judgeAlone } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import { type FilledDatabase, fillDatabase, startService } from "../send/service.ts";
import { runSmtpLoad } from "./load.ts";

const CONNECTIONS = 64;
const ASKED = 2_000;
const PEOPLE = 1_000;
const WARM_UP_SECONDS = 5;

export const submissionBench: Bench = {
  name: "submission",
  summary: "mails of 10 KB submitted by SMTP a second, by 64 connections, durable when they are answered",
  async *run(setting) {
    const database = await fillDatabase(setting, "submission", PEOPLE);
    const port = 20_000 + (process.pid % 20_000);
    const service = await startService(
      { ...database, env: { ...database.env, SUBMISSION_PORT: String(port) } },
      { roles: "public" },
    );
    try {
      await unlimit(database);
      const load = { port, connections: CONNECTIONS, key: database.key };
      await runSmtpLoad(load, WARM_UP_SECONDS);
      yield judgeAlone(
        "mails of 10 KB submitted by SMTP",
        "mail",
        ASKED,
        await runRounds(setting, service.program.pid, load),
      );
    } finally {
      await service.program.stop();
    }
  },
};

async function runRounds(
  { sizes, postgres, note }: Setting,
  pid: number,
  load: Parameters<typeof runSmtpLoad>[0],
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    const sample = await measure(postgres, pid, () => runSmtpLoad(load, sizes.seconds));
    note(`submission, round ${round} of ${sizes.rounds}: ${sample.perSecond.toFixed(0)} mails a second`);
    samples.push(sample);
  }
  return samples;
}

/** The limit of requests a minute is not what is measured. */
async function unlimit({ query }: FilledDatabase): Promise<void> {
  await query("update api_keys set unlimited = true");
  // A process believes what it knows of a key for 5 seconds.
  await sleep(5_000);
}
