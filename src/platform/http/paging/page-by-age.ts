import type { Ctx } from "../../context.ts";
import type { AgePage } from "../../db/newest-first.ts";
import type { Queryable } from "../../db/queryable.ts";
import type { Call } from "../route.ts";
import { pageAnswer } from "./cursor.ts";

type PageCall = Pick<
  Call<unknown, { limit: number; include_total: boolean }, unknown, Ctx>,
  "ctx" | "query" | "after" | "signCursor" | "urlWithCursor"
>;

type Shape<Row, Item> = (row: Row) => Item;

type Parts<Row, Item> = {
  /** Reads a page, by a statement that ends with `newestFirst`. */
  readonly list: (db: Queryable, accountId: string, page: AgePage) => Promise<Row[]>;
  /** Counts the rows of all pages. It is asked only for `include_total`. */
  readonly count: (db: Queryable, accountId: string) => Promise<number>;
  /** It is a promise where it has to read something first. Then it is awaited beside the two statements. */
  readonly shape: Shape<Row, Item> | Promise<Shape<Row, Item>>;
};

/** Answers a list that is newest first. Its cursor holds `created_at` and `id` of the last row that is shown. */
export async function pageByAge<Row extends { readonly created_at: Date; readonly id: string }, Item>(
  call: PageCall,
  { list, count, shape }: Parts<Row, Item>,
) {
  const { ctx, query } = call;
  const page = { limit: query.limit + 1, after: positionIn(call.after) };
  const [rows, shapeRow, total] = await Promise.all([
    list(ctx.sql, ctx.accountId, page),
    shape,
    query.include_total ? count(ctx.sql, ctx.accountId) : undefined,
  ]);
  return pageAnswer(call, rows, (row) => [row.created_at.toISOString(), row.id], shapeRow, total);
}

function positionIn(after: readonly string[] | undefined): AgePage["after"] {
  return after && { createdAt: String(after[0]), id: String(after[1]) };
}
