/** Shows items to those who may see them, and says who may see what they quote. */
import { findManyMailed, type SourceOwner } from "../../delivery/delivery.ts";
import { findPrivate } from "../../emails/emails.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { hasScope, refuseMissingScope } from "../../platform/http/access-control.ts";
import type { Principal } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { rawPrivate, rawUnreadable } from "../problems.ts";
import type { InboundItemDetail, InboundItemSummary, InboundReport } from "../schema.ts";
import { type NamedMessage, OTHER_KINDS } from "../types.ts";
import { findItem, type ItemRow, readSealedRaw } from "./list-store.ts";
import { hasPrivateLink } from "./private-links.ts";
import { openRaw } from "./sealed-raw.ts";

/** A report as it is kept, with what was made of it. */
type ShownReport = Omit<InboundReport, "campaign_id" | "email_id"> & {
  readonly itemId: string;
  readonly named: NamedMessage | null;
};

export type ItemTools = {
  readonly secrets: Secrets;
  readonly owner: Pick<SourceOwner, "idsInEvents">;
  readonly listReports: (
    db: Queryable,
    accountId: string,
    itemIds: readonly string[],
  ) => Promise<readonly ShownReport[]>;
};

export async function showItems(
  ctx: Ctx,
  tools: ItemTools,
  rows: readonly ItemRow[],
): Promise<InboundItemSummary[]> {
  const named = await readNamed(ctx, tools, rows);
  const ids = await readIds(ctx, tools, named);
  return rows.map((row, nth) => ({
    object: "inbound_item",
    id: toPublicId("inb", row.id),
    channel: row.channel,
    provider: row.provider,
    address_kind: row.address_kind,
    envelope_from: row.envelope_from,
    bytes: row.bytes,
    state: row.state,
    failure: row.failure,
    attempts: row.attempts,
    kind: row.kind as InboundItemSummary["kind"],
    outcome: row.outcome,
    why: row.why,
    matched: row.is_matched,
    ...(ids[nth] as MessageIds),
    read_at: row.read_at?.toISOString() ?? null,
    created_at: row.received_at.toISOString(),
    updated_at: (row.read_at ?? row.received_at).toISOString(),
  }));
}

export async function showItem(ctx: Ctx, tools: ItemTools, id: string): Promise<InboundItemDetail> {
  const row = await mustFind(ctx, id);
  const [[item], found] = await Promise.all([
    showItems(ctx, tools, [row]),
    tools.listReports(ctx.sql, ctx.accountId, [id]),
  ]);
  const ids = await readIds(
    ctx,
    tools,
    found.map(({ named }) => named),
  );
  const reports = found.map(({ itemId: _item, named: _named, ...report }, nth) => ({
    ...report,
    ...(ids[nth] as MessageIds),
  }));
  return { ...(item as InboundItemSummary), reports };
}

/**
 * Opens an item. It may quote the whole of a mail: one with a link for its recipient alone is shown to nobody. Where nobody knows which
 * mail it quotes, because servers replaced what names it, the link itself is looked for.
 */
export async function showRaw(
  ctx: Ctx,
  tools: ItemTools,
  principal: Principal,
  id: string,
): Promise<{ readonly raw: Buffer; readonly row: ItemRow }> {
  const { sql, accountId } = ctx;
  const row = await mustFind(ctx, id);
  const reports = await tools.listReports(sql, accountId, [id]);
  const named = [namedBy(row), ...reports.map((report) => report.named)].flatMap((one) => one ?? []);
  if (named.length === 0 && !isOtherKind(row) && !hasScope(principal, "full"))
    throw new AppError(rawPrivate, "nobody knows which mail it returns, so it is shown with `full` alone");
  const mailed = await findManyMailed(
    sql,
    named.map((one) => ({ accountId, ...one })),
  );
  const ofWaves = named.filter((_, nth) => mailed[nth]?.stream === "transactional");
  if (ofWaves.length > 0) refuseMissingScope(principal, "emails:read");
  const recipientIds = ofWaves.map(({ contactId }) => contactId);
  if (await findPrivate(sql, tools.secrets, accountId, recipientIds)) throw new AppError(rawPrivate, PRIVATE);
  const sealed = await readSealedRaw(sql, accountId, id);
  if (!sealed) throw missing("inbound item");
  const raw = openRaw(tools.secrets, { accountId, id }, sealed);
  if (!raw) throw new AppError(rawUnreadable, "no SECRET_KEY opens it");
  if (hasPrivateLink(raw)) throw new AppError(rawPrivate, PRIVATE);
  return { raw, row };
}

const PRIVATE = "it returns a mail with a link that is for its recipient alone";

/** What came to an address for reports or for a test was sent there by itself, and returns no mail. */
function isOtherKind({ address_kind }: ItemRow): boolean {
  return OTHER_KINDS.some((kind) => kind === address_kind);
}

async function mustFind({ sql, accountId }: Ctx, id: string): Promise<ItemRow> {
  const row = await findItem(sql, accountId, id);
  if (!row) throw missing("inbound item");
  return row;
}

function namedBy({ source_id: sourceId, contact_id: contactId }: ItemRow): NamedMessage | null {
  return sourceId && contactId ? { sourceId, contactId } : null;
}

/** What an item is about: the mail whose address it came to, or else the first that it was matched with. */
async function readNamed(
  { sql, accountId }: Ctx,
  { listReports }: ItemTools,
  rows: readonly ItemRow[],
): Promise<readonly (NamedMessage | null)[]> {
  const matched = rows.filter((row) => row.is_matched && !namedBy(row)).map(({ id }) => id);
  const reports = matched.length > 0 ? await listReports(sql, accountId, matched) : [];
  const ofItem = Map.groupBy(reports, ({ itemId }) => itemId);
  return rows.map(
    (row) => namedBy(row) ?? ofItem.get(row.id)?.find(({ named }) => named !== null)?.named ?? null,
  );
}

type MessageIds = Pick<InboundReport, "campaign_id" | "email_id">;

/** Names what each of these messages belongs to, in their order. */
async function readIds(
  { sql, accountId }: Ctx,
  { owner }: ItemTools,
  named: readonly (NamedMessage | null)[],
): Promise<readonly MessageIds[]> {
  const known = named.flatMap((one) => (one ? [{ accountId, ...one }] : []));
  const mailed = known.length > 0 ? await findManyMailed(sql, known) : [];
  const sources = new Map(known.map(({ sourceId }, nth) => [sourceId, mailed[nth]]));
  return named.map((one) => {
    const source = one && sources.get(one.sourceId);
    const ids = source ? owner.idsInEvents(source, one.contactId) : {};
    return { campaign_id: ids["campaign_id"] ?? null, email_id: ids["email_id"] ?? null };
  });
}
