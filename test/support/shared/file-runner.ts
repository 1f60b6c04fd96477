/**
 * A process that runs files of tests one after another, as `pool.ts` hands them out: what they import is loaded, compiled and
 * made fast once. Each file has a root of its own for `before` and `after`.
 */
import { run } from "node:test";
import { spec } from "node:test/reporters";

/** What `pool.ts` is told: where a test of the file begins and ends, and then how the file ended. */
export type Told = { readonly began: string } | { readonly ended: string } | FileResult;

export type FileResult = {
  readonly file: string;
  readonly output: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly wallMs: number;
  /** Of this process alone, and not of PostgreSQL, a browser or the processes that tests start. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
};

const TEST_TIMEOUT_MS = 300_000;
/** Nothing of a file runs any longer, and yet its process can't end: something was left open. */
const CLOSED_WITHIN_MS = 60_000;

// A file ends as a process of its own would, once nothing is left to wait for; hence nobody waits for a message meanwhile.
process.on("message", (file: string) => {
  process.channel?.unref();
  void runFile(file).then((result) => {
    process.channel?.ref();
    tell(result);
  });
});
// Nobody is left who would hand out the next file.
process.on("disconnect", () => process.exit(1));

async function runFile(file: string): Promise<FileResult> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const reporter = new spec();
  let output = "";
  reporter.on("data", (text: Buffer | string) => {
    output += text;
  });
  const result = () => {
    const { user, system } = process.cpuUsage(cpu);
    const used = { wallMs: performance.now() - wall, cpuMs: (user + system) / 1_000 };
    return { ...{ file, output, ...counts, ...used }, memoryBytes: process.memoryUsage.rss() };
  };
  const watch = watchForLeaks((left) => {
    counts.failed++;
    output += `\n✖ ${file} left something open: ${left}\n`;
    tell(result());
  });
  for await (const event of run({ files: [file], isolation: "none", timeout: TEST_TIMEOUT_MS })) {
    const { type, data } = event;
    if (type === "test:dequeue") watch.begin(data.name);
    if (type === "test:complete") watch.end(data.name);
    if (type === "test:summary") {
      const { passed, skipped, tests } = data.counts;
      const failed = data.success ? 0 : Math.max(1, tests - passed - skipped);
      Object.assign(counts, { passed, skipped, failed });
    }
    // The counts of all files stand at the end of the phase.
    const isCounts = type === "test:summary" || (type === "test:diagnostic" && COUNT.test(data.message));
    if (!isCounts) reporter.write(event);
  }
  watch.stop();
  await new Promise<void>((resolve) => {
    reporter.once("end", resolve).end();
  });
  return result();
}

const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

function watchForLeaks(found: (left: string) => void) {
  let running = 0;
  let quietSince: number | undefined;
  const timer = setInterval(() => {
    if (quietSince === undefined || performance.now() - quietSince < CLOSED_WITHIN_MS) return;
    clearInterval(timer);
    found(process.getActiveResourcesInfo().join(", "));
  }, 1_000).unref();
  return {
    begin(name: string) {
      running++;
      quietSince = undefined;
      tell({ began: name });
    },
    end(name: string) {
      running--;
      quietSince = running === 0 ? performance.now() : undefined;
      tell({ ended: name });
    },
    stop: () => clearInterval(timer),
  };
}

function tell(told: Told): void {
  process.send?.(told);
}
