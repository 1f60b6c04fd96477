import sql, { raw, type Sql } from "sql-template-tag";

/** Rows are listed newest first, and this says which of them make the page. */
export type AgePage = {
  readonly limit: number;
  /** The page begins behind this row, the last of the page before. It is undefined for the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | undefined;
};

/**
 * This ends a statement: it adds a condition to its `where`, then its order and its limit. An index by (account_id,
 * created_at, id) serves it. `alias` is the name that the statement gave the table.
 */
export function newestFirst({ limit, after }: AgePage, alias?: string): Sql {
  const [createdAt, id] = alias ? [raw(`${alias}.created_at`), raw(`${alias}.id`)] : CREATED_AT_AND_ID;
  const older = after
    ? sql`and (${createdAt}, ${id}) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  return sql`${older} order by ${createdAt} desc, ${id} desc limit ${limit}`;
}

const CREATED_AT_AND_ID = [raw("created_at"), raw("id")] as const;
