/** Deals files of tests out to a few processes, each of which runs one after another and shares what they import. */
import { type ChildProcess, fork } from "node:child_process";
import type { FileResult, Told } from "./file-runner.ts";

const RUNNER = new URL("file-runner.ts", import.meta.url);
/** A file in which something waits for ever is ended with its process, and its tests that ran are named. */
const LONGEST_FILE_MS = 15 * 60_000;
/** What tests leave behind in a process isn't much; but a machine may have little. */
const MOST_MEMORY_BYTES = 1.5 * 2 ** 30;
const SLOWEST = 20;

type Options = {
  readonly processes: number;
  readonly execArgv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

/** Prints each file's output when it has ended, and at the end what failed and what took longest; returns the files that failed. */
export async function runShared(files: readonly string[], options: Options): Promise<string[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const work = async () => {
    let runner: Runner | undefined;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      runner ??= startRunner(options);
      const result = await runner.run(file);
      results.push(result);
      process.stdout.write(`${file}\n${result.output}`);
      // The next file mustn't suffer for what this one has left in its process.
      if (result.failed === 0 && result.memoryBytes < MOST_MEMORY_BYTES) continue;
      await runner.end();
      runner = undefined;
    }
    await runner?.end();
  };
  await Promise.all(Array.from({ length: Math.min(options.processes, files.length) }, work));
  report(results);
  return results.filter(({ failed }) => failed > 0).map(({ file }) => file);
}

type Runner = { run(file: string): Promise<FileResult>; end(): Promise<void> };

function startRunner({ execArgv, env }: Options): Runner {
  const child = fork(RUNNER, [], { execArgv: [...execArgv], env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    async run(file) {
      const result = await runIn(child, closed, file);
      const output = printed + result.output;
      printed = "";
      return { ...result, output };
    },
    async end() {
      child.kill();
      await closed;
    },
  };
}

/** A process that ends in the midst of a file has failed it. */
function runIn(child: ChildProcess, closed: Promise<void>, file: string): Promise<FileResult> {
  const startedAt = performance.now();
  const running: string[] = [];
  return new Promise((resolve) => {
    const tooLong = setTimeout(() => child.kill("SIGKILL"), LONGEST_FILE_MS);
    const end = (result: FileResult) => {
      clearTimeout(tooLong);
      child.off("message", hear);
      resolve(result);
    };
    const hear = (told: Told) => {
      if ("began" in told) running.push(told.began);
      else if ("ended" in told) running.splice(running.lastIndexOf(told.ended), 1);
      else end(told);
    };
    child.on("message", hear);
    void closed.then(() => {
      const how = child.signalCode ?? `code ${child.exitCode}`;
      const output = `\n✖ the process ended by ${how} in the midst of: ${running.join(" > ")}\n`;
      const wallMs = performance.now() - startedAt;
      end({ ...{ file, output, passed: 0, failed: 1, skipped: 0, wallMs }, cpuMs: 0, memoryBytes: 0 });
    });
    child.send(file);
  });
}

function report(results: readonly FileResult[]): void {
  const sum = (of: (one: FileResult) => number) => results.reduce((total, one) => total + of(one), 0);
  const failed = results.filter((one) => one.failed > 0);
  if (results.length > 1) {
    const slowest = (of: (one: FileResult) => number) =>
      results
        .toSorted((a, b) => of(b) - of(a))
        .slice(0, SLOWEST)
        .map((one) => `${seconds(of(one)).padStart(8)}  ${one.file}`)
        .join("\n");
    console.log(`\nℹ the longest files, seconds\n${slowest(({ wallMs }) => wallMs)}`);
    console.log(`\nℹ the busiest files, seconds of the processor\n${slowest(({ cpuMs }) => cpuMs)}`);
  }
  for (const { file, output } of failed) {
    const at = output.indexOf("✖ failing tests:");
    console.log(`\n✖ ${file}\n${at === -1 ? output : output.slice(at)}`);
  }
  console.log(
    `\nℹ files ${results.length}, failed ${failed.length}\nℹ seconds of the processor ${seconds(sum(({ cpuMs }) => cpuMs))}\n` +
      `${sum((one) => one.passed)} passed, ${sum((one) => one.failed)} failed, ${sum((one) => one.skipped)} skipped`,
  );
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
