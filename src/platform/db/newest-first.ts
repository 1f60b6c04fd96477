import sql, { raw, type Sql } from "sql-template-tag";

/** A page of a table whose rows are listed newest first. */
export type AgePage = {
  readonly limit: number;
  /** The last row of the page before. It is undefined where this is the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | undefined;
};

/**
 * The last part of a statement's `where`, with its order and its limit. An index by (account_id, created_at, id) serves it.
 * `alias` is the name that the statement gave the table.
 */
export function newestFirst({ limit, after }: AgePage, alias?: string): Sql {
  const [createdAt, id] = alias ? [raw(`${alias}.created_at`), raw(`${alias}.id`)] : CREATED_AT_AND_ID;
  const older = after
    ? sql`and (${createdAt}, ${id}) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  return sql`${older} order by ${createdAt} desc, ${id} desc limit ${limit}`;
}

const CREATED_AT_AND_ID = [raw("created_at"), raw("id")] as const;
