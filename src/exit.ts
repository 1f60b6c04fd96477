import { StartupError } from "./platform/startup-error.ts";

/** Ends the process: two clear lines for what a person can mend, the stack for a bug. */
export function exitWith(error: unknown): never {
  if (error instanceof StartupError) {
    process.stderr.write(`postrider: ${error.message}\n           ${error.remedy}\n`);
  } else {
    process.stderr.write(`postrider: unexpected error\n${(error as Error)?.stack ?? String(error)}\n`);
  }
  process.exit(1);
}
