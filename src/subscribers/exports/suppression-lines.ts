import { csvLine } from "../../platform/csv.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { NO_CONTACT } from "../contact-store.ts";
import { walkSuppressions } from "../suppressions/suppressions.ts";

const BATCH = 2_000;

/**
 * Yields the suppressions in the order of their contacts. An address that nobody knows any more comes out as its contact, by which
 * the same account takes it back in.
 */
export async function* suppressionLines(db: Queryable, accountId: string): AsyncGenerator<string, void> {
  yield csvLine(["email", "contact_id", "reason", "source", "created_at"]);
  let after = NO_CONTACT;
  for (;;) {
    const rows = await walkSuppressions(db, accountId, after, BATCH);
    const last = rows.at(-1);
    if (last) {
      yield rows
        .map(({ email, contact_id, reason, source, created_at }) =>
          csvLine([email ?? "", toPublicId("con", contact_id), reason, source, created_at.toISOString()]),
        )
        .join("");
    }
    if (!last || rows.length < BATCH) return;
    after = last.contact_id;
  }
}
