/** This check says which accounts may sign with the keys of DKIM_KEYS, and names accounts among them that aren't there. */
import type { DkimKeyFile } from "../../platform/config/parse-values.ts";
import { sql } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

export const dkimKeysCheck: Check<DatabaseEnv> = {
  name: "dkim keys",
  async run({ config: { dkimKeys = [] }, look }) {
    const ids = namedIn(dkimKeys).flatMap((id) => fromPublicId("acc", id) ?? []);
    const rows =
      ids.length === 0
        ? []
        : await look((tx) =>
            tx.many<{ account_id: string }>(
              sql`select account_id from accounts where account_id = any(${ids}::uuid[])`,
            ),
          );
    return judgeDkimKeys(
      dkimKeys,
      rows.map(({ account_id }) => toPublicId("acc", account_id)),
    );
  },
};

export function judgeDkimKeys(keys: readonly DkimKeyFile[], known: readonly string[]): Result {
  if (keys.length === 0)
    return {
      status: "info",
      finding: "DKIM_KEYS is absent: mail is signed with the keys of accounts' domains",
    };
  const unknown = namedIn(keys).filter((id) => !known.includes(id));
  const finding = keys
    .map(({ domain, selector, accounts }) => `${usersOf(accounts)} signs with ${selector} of ${domain}`)
    .join("; ");
  if (unknown.length === 0) return { status: "ok", finding };
  return {
    status: "warn",
    finding: `DKIM_KEYS names ${unknown.join(", ")}, which this instance doesn't have; ${finding}`,
    remedy: "correct the ids behind = in DKIM_KEYS; GET /v1/account says an account's own",
  };
}

function namedIn(keys: readonly DkimKeyFile[]): string[] {
  return [...new Set(keys.flatMap(({ accounts }) => (typeof accounts === "string" ? [] : accounts)))];
}

function usersOf(accounts: DkimKeyFile["accounts"]): string {
  if (accounts === "all") return "every account";
  return accounts === "first" ? "the first account" : accounts.join(" and ");
}
