/** A campaign's recipients as CSV, by the ledger: everybody, or those of one state, reason or domain. */
import { Readable } from "node:stream";
import type { Ctx } from "../../platform/context.ts";
import { recipientLines } from "../../subscribers/subscribers.ts";
import type { RecipientQuery } from "./filter.ts";
import { listSome } from "./recipients.ts";

export type Downloaded = Pick<RecipientQuery, "status" | "reason" | "domain">;

/** The columns are those of an export. The rows are read while they are sent. */
export function streamRecipients(
  { sql, accountId }: Ctx,
  campaignId: string,
  { status, reason, domain }: Downloaded,
): Readable {
  const asked = { status, why: reason, domain: domain?.toLowerCase() };
  const lines = recipientLines((page) => listSome(sql, accountId, campaignId, { ...asked, ...page }));
  return Readable.from(lines, { objectMode: false, highWaterMark: 65_536 });
}
