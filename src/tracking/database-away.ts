import { DbError } from "../platform/db/errors.ts";

/** Whether the database can't be asked now, so that asking again later may help. */
export function isAway(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "full"].includes(error.kind);
}
