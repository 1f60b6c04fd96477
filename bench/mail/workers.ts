/**
 * Starts the programs of this bench. Each says "ready"; given a number of seconds, it works for so long and says how
 * much it did.
 */
import { join } from "node:path";
import type { Work } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";

/** Starts a program whose path is relative to this folder. */
export async function startWorker(file: string, args: readonly string[], folder: string): Promise<Program> {
  const program = startProgram({ file: join(import.meta.dirname, file), args, cwd: folder });
  await program.hear((said) => (said === "ready" ? true : undefined));
  return program;
}

export function workFor(program: Program, seconds: number): Promise<Work> {
  const done = program.hear((said) => (isWork(said) ? said : undefined));
  program.tell(seconds);
  return done;
}

function isWork(said: unknown): said is Work {
  return typeof said === "object" && said !== null && "units" in said && "seconds" in said;
}
