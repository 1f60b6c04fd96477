/** Whole messages signed with RSA-2048, against nothing but the signatures, at the same concurrency. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample, type Work } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";

/** Of a pool of four threads: enough that none waits while the main thread is kept from reading the next message. */
const CONCURRENCY = 64;
const WARM_UP_SECONDS = 1;

export async function* dkimFigures(setting: Setting): AsyncIterable<Result> {
  const keyFile = join(setting.folder, "dkim-key.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const ours = start("dkim-process.ts", keyFile, setting);
  const reference = start("../reference/bare-sign.ts", keyFile, setting);
  try {
    const isReady = (said: unknown) => (said === "ready" ? true : undefined);
    await Promise.all([ours.hear(isReady), reference.hear(isReady)]);
    await signFor(ours, WARM_UP_SECONDS);
    await signFor(reference, WARM_UP_SECONDS);
    const turn = (program: Program) => (): Promise<Sample> =>
      measure(setting.postgres, program.pid, () => signFor(program, setting.sizes.seconds));
    const contest: Contest = {
      name: "messages of 10 KB signed with RSA-2048",
      unit: "message",
      asked: 0.9,
      ours: turn(ours),
      reference: turn(reference),
    };
    yield judgeContest(contest, await runInTurns(contest, setting));
  } finally {
    await Promise.all([ours.stop(), reference.stop()]);
  }
}

function signFor(program: Program, seconds: number): Promise<Work> {
  const done = program.hear((said) => (isWork(said) ? said : undefined));
  program.tell(seconds);
  return done;
}

function isWork(said: unknown): said is Work {
  return typeof said === "object" && said !== null && "units" in said && "seconds" in said;
}

function start(file: string, keyFile: string, { folder }: Setting): Program {
  return startProgram({
    file: join(import.meta.dirname, file),
    args: [keyFile, String(CONCURRENCY)],
    cwd: folder,
  });
}
