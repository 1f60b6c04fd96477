/** Turns a request's body into what is stored. All faults are named at once, also those that only the database knows. */
import { readSenderAddresses } from "../../accounts/accounts.ts";
import type { Utm } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import { findList, findSegment } from "../../subscribers/subscribers.ts";
import type { CampaignPatch } from "../schema.ts";
import type { CampaignRow } from "../store.ts";

/** The columns that a client may edit. */
export const EDITABLE = [
  "name",
  "list_id",
  "segment_id",
  "subject",
  "preview_text",
  "from_name",
  "from_email",
  "reply_to",
  "html",
  "mjml",
  "text",
  "track_opens",
  "track_clicks",
  "utm",
  "on_ambiguous",
  "archive",
] as const satisfies readonly (keyof CampaignRow)[];
export type Editable = Pick<CampaignRow, (typeof EDITABLE)[number]>;

export const BLANK: Editable = {
  name: "",
  list_id: "",
  segment_id: null,
  subject: "",
  preview_text: null,
  from_name: null,
  from_email: null,
  reply_to: null,
  html: null,
  mjml: null,
  text: null,
  track_opens: true,
  track_clicks: true,
  utm: null,
  on_ambiguous: "resend",
  archive: false,
};

/** Merges `input` over `base` as RFC 7396 says: what is left out stays, and null clears. */
export async function readInput(ctx: Ctx, base: Editable, input: CampaignPatch): Promise<Editable> {
  const { list_id, segment_id, tracking, template_id, utm, ...plain } = input;
  const { addresses, faults: addressFaults } = readSenderAddresses(input);
  const merged: Editable = {
    ...pickEditable(base),
    ...plain,
    ...addresses,
    track_opens: tracking?.opens ?? base.track_opens,
    track_clicks: tracking?.clicks ?? base.track_clicks,
    utm: mergeUtm(base.utm, utm),
    list_id: list_id === undefined ? base.list_id : (fromPublicId("lst", list_id) ?? ""),
    segment_id: typeof segment_id === "string" ? (fromPublicId("seg", segment_id) ?? "") : base.segment_id,
  };
  if (segment_id === null) merged.segment_id = null;
  const faults = [
    ...addressFaults,
    ...contentFaults(merged, template_id ?? null),
    ...(await audienceFaults(ctx, base, merged)),
  ];
  if (faults.length > 0) throw invalid(...faults);
  return merged;
}

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };

/** Its members stand in one order, by which a content that wasn't changed is known. */
function mergeUtm(base: Utm | null, given: CampaignPatch["utm"]): Utm | null {
  const all = given === null ? NO_UTM : { ...NO_UTM, ...base, ...given };
  // An empty value would only make links longer.
  const values = Object.entries(all).map(([name, value]) => [name, value || null]);
  const merged = Object.fromEntries(values) as Utm;
  return Object.values(merged).every((value) => value === null) ? null : merged;
}

export function pickEditable(row: Editable): Editable {
  const picked = Object.fromEntries(EDITABLE.map((field) => [field, row[field]])) as Editable;
  return { ...picked, utm: mergeUtm(row.utm, undefined) };
}

const MOST_BYTES = 512 * 1_024;

function contentFaults(merged: Editable, templateId: string | null): Fault[] {
  const faults: Fault[] = [];
  if (templateId !== null) {
    faults.push({
      pointer: "/template_id",
      code: "templates_not_available",
      detail: "there are no templates yet; give html or mjml",
    });
  } else if (merged.html === null && merged.mjml === null) {
    faults.push({ pointer: "/html", code: "required", detail: "give html or mjml" });
  } else if (merged.html !== null && merged.mjml !== null) {
    faults.push({
      pointer: "/mjml",
      code: "only_one",
      detail: "is there beside html; give one of them, and null for the other",
    });
  }
  for (const field of ["html", "mjml", "text"] as const) {
    if (Buffer.byteLength(merged[field] ?? "") > MOST_BYTES)
      faults.push({ pointer: `/${field}`, code: "too_long", detail: "must have at most 512 KB" });
  }
  return faults;
}

/** Only what changes is looked at: an old campaign stays editable when its list has gone. */
async function audienceFaults(ctx: Ctx, base: Editable, merged: Editable): Promise<Fault[]> {
  const faults: Fault[] = [];
  const isNewList = merged.list_id !== base.list_id;
  if (isNewList && !(merged.list_id && (await findList(ctx.sql, ctx.accountId, merged.list_id)))) {
    const detail = "there is no such list in this account";
    faults.push({ pointer: "/list_id", code: "not_found", detail });
  }
  const isNewAudience = isNewList || merged.segment_id !== base.segment_id;
  if (merged.segment_id === null || !isNewAudience) return faults;
  const segment = merged.segment_id && (await findSegment(ctx.sql, ctx.accountId, merged.segment_id));
  if (!segment) {
    const detail = "there is no such segment in this account";
    faults.push({ pointer: "/segment_id", code: "not_found", detail });
  } else if (segment.list_id !== null && segment.list_id !== merged.list_id) {
    const detail = "is a segment of another list";
    faults.push({ pointer: "/segment_id", code: "other_list", detail });
  }
  return faults;
}
