/** Sums of what runs do. They are gathered in memory and written with the change itself. */
import { prepared, sql, type Tx } from "../../platform/db/db.ts";

/** Two workers at once seldom wait for each other where each takes a shard by chance. */
const SHARDS = 8;
/**
 * The shard of who lets people in and leads them out by events, beside the others: an account's feed counts before it has locked all its runs,
 * so it must wait for nobody who holds runs and counts last.
 */
export const FEED_SHARD = SHARDS;

export type Counts = {
  /** `node` is '' for the whole automation. */
  add(node: string, what: string, by?: number): void;
  rows(): readonly { readonly node: string; readonly what: string; readonly count: number }[];
};

export function createCounts(): Counts {
  const sums = new Map<string, { node: string; what: string; count: number }>();
  return {
    add(node, what, by = 1) {
      const key = `${node}\n${what}`;
      const known = sums.get(key);
      if (known) known.count += by;
      else sums.set(key, { node, what, count: by });
    },
    rows: () => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
  };
}

/** The rows are written in the order of their keys, so that two who write the same ones don't wait for each other for ever. */
export async function addCounts(
  tx: Tx,
  accountId: string,
  automationId: string,
  counts: Pick<Counts, "rows">,
  shard = Math.floor(Math.random() * SHARDS),
): Promise<void> {
  const rows = counts.rows();
  if (rows.length === 0) return;
  tx.send(
    prepared(sql`
    insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
    select ${accountId}, ${automationId}, node, what, ${shard}, count
    from unnest(${rows.map(({ node }) => node)}::text[], ${rows.map(({ what }) => what)}::text[],
                ${rows.map(({ count }) => count)}::bigint[]) with ordinality as new (node, what, count, nth)
    order by nth
    on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + excluded.count`),
  );
}
