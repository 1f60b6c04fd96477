import { DbError } from "./platform/db/errors.ts";
import { StartupError } from "./platform/startup-error.ts";

/** Ends the process. It prints two clear lines for what a person can mend, and the stack for a bug. */
export function exitWith(error: unknown): never {
  const known = explainDatabase(error);
  if (known instanceof StartupError) {
    process.stderr.write(`postrider: ${known.message}\n           ${known.remedy}\n`);
  } else {
    process.stderr.write(`postrider: unexpected error\n${(error as Error)?.stack ?? String(error)}\n`);
  }
  process.exit(1);
}

/** A database may go away at any statement, so that is explained to the operator and isn't shown as a bug. */
function explainDatabase(error: unknown): unknown {
  const found = error instanceof DbError ? error : error instanceof Error ? error.cause : undefined;
  if (error instanceof StartupError || !(found instanceof DbError)) return error;
  if (found.kind === "full") {
    return new StartupError(
      `the database's disk is full: ${found.message}`,
      "free some space there, then start again",
    );
  }
  if (found.kind !== "unavailable" && found.kind !== "busy") return error;
  return new StartupError(
    `the database went away or didn't answer in time: ${found.message}`,
    "check that it runs and isn't overloaded (`npm run postrider -- doctor`), then start again",
  );
}
