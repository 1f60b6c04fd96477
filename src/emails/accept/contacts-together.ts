/**
 * Finds the contacts of many mails by one statement: those of a batch, and those of requests that come at the same moment. A statement
 * for each mail took a tenth of what PostgreSQL does for it.
 */
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { createGroupCommit, type GroupCommit } from "../../platform/group-commit.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { findContactsFor } from "../../subscribers/subscribers.ts";

type Found = Awaited<ReturnType<typeof findContactsFor>>;
type Groups = ReturnType<typeof createLruCache<GroupCommit<readonly Buffer[], Found>>>;

const MOST_TOGETHER = 200;
const MOST_ACCOUNTS = 1_000;
/** Those of one connection go together, as those of a test do. */
const groupsOf = new WeakMap<Queryable, Groups>();

/** Returns what is known of these addresses, and maybe of others of the account. */
export function findContactsTogether({ sql, accountId }: Ctx, hashes: readonly Buffer[]): Promise<Found> {
  const groups: Groups = groupsOf.get(sql) ?? createLruCache(MOST_ACCOUNTS);
  groupsOf.set(sql, groups);
  const known = groups.get(accountId);
  const group =
    known ??
    createGroupCommit<readonly Buffer[], Found>(
      async (all) => {
        const found = await findContactsFor(sql, accountId, "transactional", all.flat());
        return all.map(() => found);
      },
      { most: MOST_TOGETHER },
    );
  if (!known) groups.set(accountId, group);
  return group.add(hashes);
}
