/**
 * An export is a list, a segment, a campaign's recipients or the suppressions as CSV. Only the question is stored: the rows are streamed from the
 * database when the link is followed, so an export of any size takes no memory and leaves no file to erase.
 */
import type { Clock } from "../../platform/clock.ts";
import { type Ctx, systemCtx, type TxCtx } from "../../platform/context.ts";
import { csvLine } from "../../platform/csv.ts";
import type { Db } from "../../platform/db/db.ts";
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
import type {
  CampaignRecipient,
  CampaignRecipients,
  RecipientEvent,
  RecipientFilter,
} from "./campaign-recipients.ts";
import { type ExportResource, type ExportRow, findExport, insertExport } from "./export-store.ts";
import { suppressionLines } from "./suppression-lines.ts";

export {
  type CampaignRecipients,
  type CampaignsInTimeline,
  type ListEntries,
  RECIPIENT_EVENTS,
  type RecipientEvent,
  type RecipientFilter,
} from "./campaign-recipients.ts";
export { type ListOfPerson, listListsOfPerson, readPersonOnLists, readStandingOfPerson } from "./person.ts";

const LINK_LIVES_MS = 24 * 3_600_000;
const BATCH = 2_000;

type ExportInput = {
  resource?: ExportResource | undefined;
  list_id?: string | undefined;
  segment_id?: string | undefined;
  campaign_id?: string | undefined;
  event?: RecipientEvent | undefined;
  include_machines?: boolean | undefined;
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
  const named = [input.list_id, input.segment_id, input.campaign_id].filter(Boolean).length;
  const resource = input.resource ?? (input.campaign_id ? "campaign_recipients" : "subscribers");
  if (resource === "suppressions") {
    const detail = "suppressions hold whatever the list: name no list_id, segment_id or campaign_id";
    if (named > 0) faults.push({ pointer: "/resource", code: "not_allowed", detail });
  } else if (named !== 1) {
    faults.push({ pointer: "", code: "required", detail: "say one of list_id, segment_id and campaign_id" });
  } else if ((resource === "campaign_recipients") !== (input.campaign_id !== undefined)) {
    const detail = "a campaign has campaign_recipients, a list and a segment have subscribers";
    faults.push({ pointer: "/resource", code: "not_allowed", detail });
  }
  if (input.event && !input.campaign_id) {
    faults.push({
      pointer: "/event",
      code: "not_allowed",
      detail: "only recipients of a campaign have events",
    });
  }
  if (faults.length > 0) throw invalid(...faults);
  const now = ctx.clock.now();
  const row: ExportRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    resource,
    list_id: listId || null,
    segment_id: segmentId || null,
    campaign_id: campaignId || null,
    event: input.event ?? null,
    include_machines: input.include_machines ?? false,
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
  if (row.resource === "suppressions") return suppressionLines(deps.db, row.account_id);
  if (!row.campaign_id) return subscriberLines(deps, row);
  const { account_id: accountId, campaign_id: campaignId } = row;
  const event = row.event ? { type: row.event, includeMachines: row.include_machines } : undefined;
  return recipientLines(
    (page) => deps.campaigns.list(deps.db, accountId, campaignId, { ...page, event }),
    event,
  );
}

/** Opens and clicks are those of people; whoever can't be seen has none. */
const RECIPIENT_COLUMNS = [
  ...["email", "status", "reason", "changed_at", "attempts", "reply_code", "reply"],
  ...["opened_at", "opens", "clicked_at", "clicks"],
];
/** These follow where those are asked for to whom something happened. */
const EVENT_COLUMNS = ["event", "event_at", "event_times", "by_person"];

/** Yields those whom `list` answers with, page by page, in batches of lines. */
export async function* recipientLines(
  list: (page: { limit: number; after: string | undefined }) => Promise<readonly CampaignRecipient[]>,
  event?: RecipientFilter,
): AsyncGenerator<string, void> {
  yield csvLine(event ? [...RECIPIENT_COLUMNS, ...EVENT_COLUMNS] : RECIPIENT_COLUMNS);
  let after: string | undefined;
  for (;;) {
    const rows = await list({ limit: BATCH, after });
    const last = rows.at(-1);
    if (last) yield rows.map((one) => csvLine(cellsOfRecipient(one, event))).join("");
    if (!last || rows.length < BATCH) return;
    after = last.contactId;
  }
}

function cellsOfRecipient(
  { row, event, opened, clicked }: CampaignRecipient,
  asked: RecipientFilter | undefined,
): string[] {
  const { email, status, why, at, attempts, code, text } = row ?? {};
  return [
    ...[email ?? "", status ?? "", why ?? "", at?.toISOString() ?? "", String(attempts ?? "")],
    ...[String(code ?? ""), text ?? ""],
    ...[opened, clicked].flatMap((done) => (done ? [done.at.toISOString(), String(done.times)] : ["", ""])),
    ...(asked && event
      ? [asked.type, event.at.toISOString(), String(event.times), event.isHuman ? "yes" : "no"]
      : []),
  ];
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
    heldBack: undefined,
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
