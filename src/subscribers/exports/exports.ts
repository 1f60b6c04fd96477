/**
 * An export is a list, a segment or a campaign's recipients as CSV. Only the question is stored: the rows are streamed from the
 * database when the link is followed, so an export of any size takes no memory and leaves no file to erase.
 */
import type { Clock } from "../../platform/clock.ts";
import { type Ctx, systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db, Queryable } from "../../platform/db/db.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { PLAIN_NAMES } from "../columns.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields, type FieldRow, nameFieldValues } from "../fields/fields.ts";

import { listExists } from "../lists/lists.ts";
import { compileFor, findSegment } from "../segments/segments.ts";

import { listSubscribers, type PageFilter, positionOf, type SubscriberView } from "../subscriber-store.ts";
import { csvLine } from "./csv.ts";
import { type ExportRow, findExport, insertExport } from "./export-store.ts";

export { csvLine, withoutMark } from "./csv.ts";

const LINK_LIVES_MS = 24 * 3_600_000;
const BATCH = 2_000;

/** Campaigns stand above this floor; they hand in how to ask whom they went to. */
export type CampaignRecipients = {
  exists(db: Queryable, accountId: string, id: string): Promise<boolean>;
  /** Returns them in the order of their contacts, from behind `after`. */
  list(
    db: Queryable,
    accountId: string,
    id: string,
    page: { limit: number; after: string | undefined },
  ): Promise<readonly CampaignRecipient[]>;
  /** Says that the contact has just left because of this campaign. */
  noteUnsubscribe(ctx: TxCtx, id: string, contactId: string): Promise<void>;
  /** Returns the mails to one subscriber, the latest launch first, from below `before`. */
  mailsTo(
    db: Queryable,
    accountId: string,
    addressee: { subscriberId: string; contactId: string; listId: string; since: Date },
    limit: number,
    before: { createdAt: string; id: string } | undefined,
  ): Promise<readonly MailEntry[]>;
};

/** This is a mail as a subscriber's timeline shows it. */
type MailEntry = {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  readonly updated_at: Date;
};

type CampaignRecipient = {
  readonly contactId: string;
  /** The address is null once the subscriber is deleted. */
  readonly email: string | null;
  readonly status: string;
  readonly why: string | null;
  readonly at: Date;
  readonly attempts: number;
  readonly code: number | null;
  readonly text: string | null;
};

type ExportInput = {
  list_id?: string | undefined;
  segment_id?: string | undefined;
  campaign_id?: string | undefined;
};

export async function createExport(
  ctx: TxCtx,
  campaigns: CampaignRecipients,
  input: ExportInput,
): Promise<ExportRow> {
  const listId = input.list_id && fromPublicId("lst", input.list_id);
  const segmentId = input.segment_id && fromPublicId("seg", input.segment_id);
  const campaignId = input.campaign_id && fromPublicId("cmp", input.campaign_id);
  const faults: Fault[] = [];
  const unknown = (field: string) => ({
    pointer: `/${field}`,
    code: "not_found",
    detail: "there is no such object in this account",
  });
  if (input.list_id && !(listId && (await listExists(ctx.sql, ctx.accountId, listId))))
    faults.push(unknown("list_id"));
  if (input.segment_id && !(segmentId && (await findSegment(ctx.sql, ctx.accountId, segmentId)))) {
    faults.push(unknown("segment_id"));
  }
  if (input.campaign_id && !(campaignId && (await campaigns.exists(ctx.sql, ctx.accountId, campaignId)))) {
    faults.push(unknown("campaign_id"));
  }
  if ([input.list_id, input.segment_id, input.campaign_id].filter(Boolean).length !== 1) {
    faults.push({ pointer: "", code: "required", detail: "say one of list_id, segment_id and campaign_id" });
  }
  if (faults.length > 0) throw invalid(...faults);
  const now = ctx.clock.now();
  const row: ExportRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    list_id: listId || null,
    segment_id: segmentId || null,
    campaign_id: campaignId || null,
    created_at: now,
    updated_at: now,
    expires_at: new Date(now.getTime() + LINK_LIVES_MS),
  };
  await insertExport(ctx.sql, row);
  return row;
}

/** The link is good until the export expires, for whoever has it, because a browser can't send a key. */
export function exportLink(secrets: Secrets, baseUrl: string, row: ExportRow): string {
  const account = toPublicId("acc", row.account_id);
  const id = toPublicId("exp", row.id);
  return `${baseUrl}/downloads/${account}/${id}?signature=${secrets.mac("export-link", account, id).toString("base64url")}`;
}

/** Returns undefined for a forged, foreign or expired link, and for an export that was deleted. */
export async function openExportLink(
  deps: { db: Db; clock: Clock; secrets: Secrets },
  link: { account: string; id: string; signature: string },
): Promise<ExportRow | undefined> {
  const mac = Buffer.from(link.signature, "base64url");
  const accountId = fromPublicId("acc", link.account);
  const id = fromPublicId("exp", link.id);
  if (!accountId || !id || !deps.secrets.verify("export-link", mac, link.account, link.id)) return undefined;
  const row = await findExport(deps.db, accountId, id);
  return row && row.expires_at > deps.clock.now() ? row : undefined;
}

/** These lead in every file; a plain column that isn't among them stands between `tags` and `source`. */
const LEADING = ["email", "first_name", "last_name", "status", "tags"] as const;
const isLeading = (name: string) => LEADING.some((leading) => leading === name);
const COLUMNS = [
  ...LEADING,
  ...PLAIN_NAMES.filter((name) => !isLeading(name)),
  "tracking_consent",
  "source",
  "created_at",
] as const;

/** Yields the file in batches of lines. */
export function exportLines(
  deps: { db: Db; clock: Clock; log: Log; campaigns: CampaignRecipients; sentCampaigns: SentCampaigns },
  row: ExportRow,
): AsyncGenerator<string, void> {
  return row.campaign_id ? recipientLines(deps, row.account_id, row.campaign_id) : subscriberLines(deps, row);
}

const RECIPIENT_COLUMNS = ["email", "status", "reason", "changed_at", "attempts", "reply_code", "reply"];

async function* recipientLines(
  { db, campaigns }: { db: Db; campaigns: CampaignRecipients },
  accountId: string,
  campaignId: string,
): AsyncGenerator<string, void> {
  yield csvLine(RECIPIENT_COLUMNS);
  let after: string | undefined;
  for (;;) {
    const rows = await campaigns.list(db, accountId, campaignId, { limit: BATCH, after });
    const last = rows.at(-1);
    if (last) yield rows.map((one) => csvLine(cellsOfRecipient(one))).join("");
    if (!last || rows.length < BATCH) return;
    after = last.contactId;
  }
}

function cellsOfRecipient(row: CampaignRecipient): string[] {
  const { email, status, why, at, attempts, code, text } = row;
  return [email ?? "", status, why ?? "", at.toISOString(), String(attempts), String(code ?? ""), text ?? ""];
}

/** Subscribers come in the order of their sign-up, so that nobody is passed over while others are added. */
async function* subscriberLines(
  deps: { db: Db; clock: Clock; log: Log; sentCampaigns: SentCampaigns },
  row: ExportRow,
): AsyncGenerator<string, void> {
  const ctx = systemCtx(deps, deps.db, row.account_id);
  const fields = (await allFields(ctx.sql, ctx.accountId)).sort((a, b) => a.slot - b.slot);
  const filter = await filterOf(ctx, row, fields, deps.sentCampaigns);
  yield csvLine([...COLUMNS, ...fields.map((field) => `fields.${field.key}`)]);
  let after: readonly string[] | undefined;
  for (;;) {
    const rows = filter
      ? await listSubscribers(ctx.sql, ctx.accountId, filter, { sort: "created_at", limit: BATCH, after })
      : [];
    const last = rows.at(-1);
    if (last) yield rows.map((one) => csvLine(cellsOf(one, fields))).join("");
    if (!last || rows.length < BATCH) return;
    after = positionOf("created_at", last);
  }
}

async function filterOf(
  ctx: Ctx,
  row: ExportRow,
  fields: readonly FieldRow[],
  sent: SentCampaigns,
): Promise<PageFilter | undefined> {
  const segment = row.segment_id ? await findSegment(ctx.sql, ctx.accountId, row.segment_id) : undefined;
  if (row.segment_id && !segment) return undefined;
  const listId = row.list_id ?? segment?.list_id ?? null;
  return {
    listId: listId ?? undefined,
    status: undefined,
    tagIds: [],
    createdAfter: undefined,
    createdBefore: undefined,
    updatedAfter: undefined,
    updatedBefore: undefined,
    segment: segment && (await compileFor(ctx, segment.rules, { fields, sent, listId })),
  };
}

function cellsOf(row: SubscriberView, fields: readonly FieldRow[]): string[] {
  const values = nameFieldValues(fields, row.fields);
  return [
    ...COLUMNS.map((name) => cellOf(row, name)),
    ...fields.map((field) => String(values[field.key] ?? "")),
  ];
}

function cellOf(row: SubscriberView, name: (typeof COLUMNS)[number]): string {
  if (name === "tags") return tagCell(row.tags);
  if (name === "tracking_consent") return String(row.tracking_consent ?? "");
  return name === "created_at" ? row.created_at.toISOString() : (row[name] ?? "");
}

/**
 * Each tag has a line, since a tag may have a comma in it; the import splits by lines where there are any, else by commas. So
 * a lone tag with a comma stands there twice, and is read back once.
 */
function tagCell(tags: readonly string[]): string {
  const [only = ""] = tags;
  return (tags.length === 1 && /[,;|]/.test(only) ? [only, only] : tags).join("\n");
}
