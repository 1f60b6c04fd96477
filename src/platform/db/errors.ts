/** This is the one place that turns what the driver throws into errors of ours. */

export type DbErrorKind =
  | "unavailable" // The database is away; nothing is known to be wrong with the request.
  | "busy" // The database is there but did not answer in time.
  | "full" // The server's disk is full.
  | "unique"
  | "foreign_key"
  // This is a serialisation failure or a deadlock: the same transaction may succeed when repeated.
  | "conflict"
  | "other";

export class DbError extends Error {
  readonly kind: DbErrorKind;
  readonly sqlState: string | undefined;
  readonly constraint: string | undefined;

  constructor(kind: DbErrorKind, message: string, sqlState?: string, constraint?: string) {
    super(message);
    this.name = "DbError";
    this.kind = kind;
    this.sqlState = sqlState;
    this.constraint = constraint;
  }
}

const SOCKET_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
// The driver throws these as plain errors, without a code.
const LOST_CONNECTION =
  /connection (terminated|ended|error)|not queryable|closed the connection|timeout exceeded when trying to connect|timeout expired|client has encountered a connection error|cannot use a pool after calling end|query read timeout/i;

export function toDbError(error: unknown): Error {
  if (error instanceof DbError || !(error instanceof Error)) return error as Error;
  const { code, constraint } = error as { code?: unknown; constraint?: string };
  const state = typeof code === "string" ? code : undefined;
  if (state && SOCKET_CODES.has(state))
    return new DbError("unavailable", `database unreachable (${state})`, state);
  if (LOST_CONNECTION.test(error.message)) return new DbError("unavailable", error.message, state);
  // An AggregateError is what Node throws when every address of a host refused.
  if (error instanceof AggregateError) return new DbError("unavailable", "database unreachable", state);
  if (!state || !/^[0-9A-Z]{5}$/.test(state)) return error;
  // The server's message may quote a row's values; `detail` always may. Only the message goes on, and the log scrubs it.
  return new DbError(kindOf(state), error.message, state, constraint);
}

/** Tells the kind of an error by its SQLSTATE class (PostgreSQL manual, appendix A). */
function kindOf(state: string): DbErrorKind {
  if (state === "23505") return "unique";
  if (state === "23503") return "foreign_key";
  if (state === "40001" || state === "40P01") return "conflict";
  if (state === "53100") return "full";
  if (state === "57014" || state === "55P03") return "busy";
  if (state.startsWith("08") || state.startsWith("53") || /^(57P0[1235]|25P0[34])$/.test(state))
    return "unavailable";
  // A standby that was promoted away answers reads but refuses writes.
  if (state === "25006") return "unavailable";
  return "other";
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof DbError && error.kind === "unique" && error.constraint === constraint;
}

/** After a failed statement every later one of the transaction fails too, with an error that tells nothing more. */
export function isEchoOfFailure(error: unknown): boolean {
  return error instanceof DbError && error.sqlState === "25P02";
}
