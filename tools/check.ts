// Runs `npm run check`: all that can be checked about the code without starting it.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "..");

type Step = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Its output is worth reading also where it passed. */
  readonly prints?: true;
};
type Result = {
  readonly step: Step;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
};

// The longest step comes first, so that the last one to finish is a short one.
const steps: readonly Step[] = [
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "dashboard types", command: ["tsc", "-p", "dashboard"] },
  { name: "dead code", command: ["knip", "--no-progress"] },
  { name: "format and lint", command: ["biome", "ci", "--colors=off", "."] },
  { name: "floors", command: ["node", "--test", "--test-reporter=dot", "test/floors.test.ts"] },
  { name: "client types", command: ["node", "tools/client-types.ts", "--check"] },
  { name: "bare strings", command: ["node", "tools/bare-strings.ts"] },
  { name: "dashboard sizes", command: ["node", "tools/dashboard-sizes.ts"], prints: true },
  { name: "docs", command: ["node", "tools/docs-check.ts"] },
  {
    name: "tools' own tests",
    command: ["node", "--test", "--test-reporter=dot", "{tools,score,bench,faults}/**/*.test.ts"],
  },
];
// Types and lint use several threads of their own, so two steps at a time keep two cores busy.
const atOnce = 2;

async function runSteps(): Promise<Result[]> {
  const waiting = [...steps];
  const results: Result[] = [];
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(step);
      report(result);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

function runStep(step: Step): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const started = performance.now();
  const output: string[] = [];
  const finish = (passed: boolean) =>
    resolve({ step, passed, output: output.join(""), seconds: (performance.now() - started) / 1000 });

  const [program, ...parameters] = step.command;
  const path = [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const child = spawn(program, parameters, {
    cwd: root,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  }
  child.on("error", (error) => {
    output.push(`${program}: ${error.message}\n`);
    finish(false);
  });
  child.on("close", (code) => finish(code === 0));
  return promise;
}

function report({ step, passed, output }: Result): void {
  if (!passed || step.prints)
    console.log(`── ${step.name}: ${step.command.join(" ")}\n${output.trimEnd()}\n`);
}

const results = await runSteps();
for (const { step, passed, seconds } of results) {
  console.log(`${passed ? "ok    " : "FAILED"} ${step.name.padEnd(18)} ${seconds.toFixed(1)} s`);
}
if (results.some(({ passed }) => !passed)) process.exitCode = 1;
