/** Compares signing whole messages with RSA-2048 with making bare signatures, at the same concurrency. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import type { Program } from "../harness/program.ts";
import { startWorker, workFor } from "./workers.ts";

/** The pool has four threads; this many signatures keep them busy while the main thread can't read the next message. */
const CONCURRENCY = 64;
const WARM_UP_SECONDS = 1;

export async function* dkimFigures(setting: Setting): AsyncIterable<Result> {
  const { folder, sizes } = setting;
  const keyFile = join(folder, "dkim-key.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const args = [keyFile, String(CONCURRENCY)];
  const ours = await startWorker("dkim-process.ts", args, folder);
  try {
    const reference = await startWorker("../reference/bare-sign.ts", args, folder);
    try {
      await workFor(ours, WARM_UP_SECONDS);
      await workFor(reference, WARM_UP_SECONDS);
      const turn = (program: Program) => (): Promise<Sample> =>
        measure(setting.postgres, program.pid, () => workFor(program, sizes.seconds));
      const contest: Contest = {
        name: "messages of 10 KB signed with RSA-2048",
        unit: "message",
        asked: 0.9,
        ours: turn(ours),
        reference: turn(reference),
      };
      yield judgeContest(contest, await runInTurns(contest, setting));
    } finally {
      await reference.stop();
    }
  } finally {
    await ours.stop();
  }
}
