/** Compares clicks that are stored before they are answered with a bare server that answers the same redirect and stores nothing. */
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { type Load, runLoad, runPaced, warmUp } from "../harness/load.ts";
import { measure } from "../harness/meter.ts";
import { median, percentile99, rate } from "../harness/numbers.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { startService } from "../harness/service.ts";
import { makeLinks } from "./mail-links.ts";

/** People click from as many connections as there are people; each of them waits for its own answer. */
const CONNECTIONS = 256;
const PEOPLE = 20_000;
const LEAD_IN_SECONDS = 0.3;
const PACED_SECONDS = 10;
const MOST_P99_MS = 50;
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";

export async function* clickFigures(setting: Setting): AsyncIterable<Result> {
  const databaseUrl = await setting.postgres.createDatabase("bench_clicks");
  const paths = await makeLinks(databaseUrl, PEOPLE);
  const programs: Program[] = [];
  try {
    const ours = await startService({ databaseUrl, folder: setting.folder, roles: "public" });
    programs.push(ours.program);
    const reference = startProgram({
      file: join(import.meta.dirname, "../reference/bare-redirect.ts"),
      cwd: setting.folder,
    });
    programs.push(reference);
    const referencePort = await reference.hear((said) => (said as { port?: number }).port);
    const loads = { ours: clicksOn(ours.port, paths), reference: clicksOn(referencePort, paths) };
    const run =
      (side: "ours" | "reference", { pid }: Program) =>
      async () => {
        await runLoad(loads[side], LEAD_IN_SECONDS);
        return measure(setting.postgres, pid, () => runLoad(loads[side], setting.sizes.seconds));
      };
    await warmUp(loads.ours);
    await warmUp(loads.reference);
    const contest: Contest = {
      name: "clicks, stored before the answer",
      unit: "click",
      asked: 0.5,
      ours: run("ours", ours.program),
      reference: run("reference", reference),
    };
    const judged = judgeContest(contest, await runInTurns(contest, setting));
    yield judged;
    await reference.stop();
    yield await waitsAtHalf(loads.ours, judged.figure.ours / 2, async () => {
      programs.push((await startService({ databaseUrl, folder: setting.folder, roles: "jobs" })).program);
    });
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

async function waitsAtHalf(
  load: Load,
  perSecond: number,
  startCounting: () => Promise<void>,
): Promise<Result> {
  const times = await runPaced(load, perSecond, PACED_SECONDS);
  // The same again while another process counts all clicks that were made so far.
  await startCounting();
  const beside = await runPaced(load, perSecond, PACED_SECONDS);
  const p99 = percentile99(times);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return {
    figure: {
      name: "clicks, p99 in ms at half of that load",
      ours: p99,
      reference: null,
      ratio: null,
      asked: MOST_P99_MS,
      ok: p99 <= MOST_P99_MS,
    },
    unit: "ms",
    headline: `ours ${ms(p99)} at ${rate(perSecond)}, asked ≤ ${ms(MOST_P99_MS)}`,
    details: [
      describe("without counting", times),
      describe("while all of them are counted by another process", beside),
    ],
  };

  function describe(when: string, waits: readonly number[]): string {
    const slowest = waits.reduce((most, one) => Math.max(most, one), 0);
    return `${when}: median ${ms(median(waits))}, p99 ${ms(percentile99(waits))}, the slowest ${ms(slowest)}`;
  }
}

export function clicksOn(port: number, paths: readonly string[]): Load {
  let at = 0;
  const request = () => {
    at = (at + 7_919) % paths.length;
    return `GET ${paths[at]} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: ${BROWSER}\r\n\r\n`;
  };
  return { connections: CONNECTIONS, status: 302, port, request };
}
