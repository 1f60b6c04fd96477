/** Opens an item for a floor above, which looks at it after it was read. */
import type { Queryable } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { InboundItem } from "../types.ts";
import { readKept } from "./list-store.ts";
import { openRaw } from "./sealed-raw.ts";

export type OpenedItem = Pick<InboundItem, "envelopeFrom" | "session" | "raw" | "receivedAt"> & {
  /** How large it was, where `raw` is only its beginning. */
  readonly bytes: number;
};

/** Returns undefined where it is no longer kept, or no key opens it. */
export async function openInboundItem(
  db: Queryable,
  secrets: Secrets,
  accountId: string,
  id: string,
): Promise<OpenedItem | undefined> {
  const kept = await readKept(db, accountId, id);
  const raw = kept && openRaw(secrets, { accountId, id }, kept.raw);
  return raw && { ...kept, raw };
}
