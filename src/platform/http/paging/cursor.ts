/**
 * A cursor is a keyset position, signed together with what it belongs to. A cursor of another account, filter or sort
 * order fails its signature, so it can neither leak nor mislead.
 */
import { AppError, invalidCursor } from "../../problems.ts";
import type { Secrets } from "../../secrets.ts";
import type { Answer, Call } from "../route.ts";

export function signCursor(secrets: Secrets, binding: string, position: readonly string[]): string {
  const payload = JSON.stringify(position);
  return Buffer.concat([secrets.mac("cursor", binding, payload), Buffer.from(payload)]).toString("base64url");
}

export function openCursor(secrets: Secrets, binding: string, cursor: string): readonly string[] {
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(16).toString("utf8");
  // Buffer.from skips whatever isn't base64url, so only the very text that was handed out is accepted.
  const isOurs =
    bytes.toString("base64url") === cursor &&
    secrets.verify("cursor", bytes.subarray(0, 16), binding, payload);
  if (!isOurs) {
    throw new AppError(invalidCursor, "this cursor is not of this list with this filter and sort");
  }
  return JSON.parse(payload);
}

/** Names what a cursor is valid for: the same account, path and filter, whatever the page's size and what else it includes. */
export function cursorBinding(
  accountId: string,
  path: string,
  query: Readonly<Record<string, unknown>>,
): string {
  const { cursor: _cursor, limit: _limit, include_total: _total, include_stats: _stats, ...filter } = query;
  const sorted = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([accountId, path, sorted]);
}

type PageCall = Pick<
  Call<unknown, { limit: number }, unknown, unknown>,
  "query" | "signCursor" | "urlWithCursor"
>;

/** Makes the answer from `limit + 1` rows: the extra row says that there is another page. */
export function pageAnswer<Row, Item>(
  call: PageCall,
  rows: readonly Row[],
  positionOf: (row: Row) => readonly string[],
  shape: (row: Row) => Item,
  total?: number,
): Answer<{ object: "list"; data: Item[]; has_more: boolean; next_cursor: string | null; total?: number }> {
  const shown = rows.slice(0, call.query.limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > shown.length && last ? call.signCursor(positionOf(last)) : null;
  return {
    status: 200,
    body: {
      object: "list",
      data: shown.map(shape),
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
      ...(total !== undefined && { total }),
    },
    ...(nextCursor && { headers: { link: `<${call.urlWithCursor(nextCursor)}>; rel="next"` } }),
  };
}
