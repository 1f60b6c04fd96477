/** Turns a request's body into what is stored. All faults are named at once, also those that only the database knows. */
import { readSenderAddresses } from "../../accounts/accounts.ts";
import type { Utm } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import { findList, findSegment, findTopic } from "../../subscribers/subscribers.ts";
import { hasMarkup, markupFaults, readPublished } from "../../templates/templates.ts";
import type { CampaignPatch } from "../schema.ts";
import type { CampaignRow } from "../store.ts";

/** The columns that a client may edit. */
export const EDITABLE = [
  "name",
  "list_id",
  "segment_id",
  "topic_id",
  "subject",
  "preview_text",
  "from_name",
  "from_email",
  "reply_to",
  "html",
  "mjml",
  "blocks",
  "text",
  "track_opens",
  "track_clicks",
  "utm",
  "on_ambiguous",
  "archive",
  "template_id",
  "template_version",
] as const satisfies readonly (keyof CampaignRow)[];
export type Editable = Pick<CampaignRow, (typeof EDITABLE)[number]>;

export const BLANK: Editable = {
  name: "",
  list_id: "",
  segment_id: null,
  topic_id: null,
  subject: "",
  preview_text: null,
  from_name: null,
  from_email: null,
  reply_to: null,
  html: null,
  mjml: null,
  blocks: null,
  text: null,
  track_opens: true,
  track_clicks: true,
  utm: null,
  on_ambiguous: "resend",
  archive: false,
  template_id: null,
  template_version: null,
};

/** Merges `input` over `base` as RFC 7396 says: what is left out stays, and null clears. */
export async function readInput(ctx: Ctx, base: Editable, input: CampaignPatch): Promise<Editable> {
  const { list_id, segment_id, topic_id, tracking, template_id, utm, ...plain } = input;
  const { addresses, faults: addressFaults } = readSenderAddresses(input);
  const template = await takeTemplate(ctx, base, input);
  const merged: Editable = {
    ...pickEditable(base),
    ...plain,
    ...template.taken,
    ...addresses,
    track_opens: tracking?.opens ?? base.track_opens,
    track_clicks: tracking?.clicks ?? base.track_clicks,
    utm: mergeUtm(base.utm, utm),
    list_id: list_id === undefined ? base.list_id : (fromPublicId("lst", list_id) ?? ""),
    segment_id: typeof segment_id === "string" ? (fromPublicId("seg", segment_id) ?? "") : base.segment_id,
    topic_id: typeof topic_id === "string" ? (fromPublicId("top", topic_id) ?? "") : base.topic_id,
  };
  if (segment_id === null) merged.segment_id = null;
  if (topic_id === null) merged.topic_id = null;
  const faults = [
    ...addressFaults,
    ...template.faults,
    ...(template.faults.length > 0 ? [] : contentFaults(merged, template.taken.blocks ?? base.blocks)),
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

function contentFaults(merged: Editable, stored: Editable["blocks"]): Fault[] {
  const faults = markupFaults(merged, stored);
  if (hasMarkup(merged)) return faults;
  const detail = "give html, mjml, blocks or template_id";
  return [{ pointer: "/html", code: "required", detail }, ...faults];
}

type Taken = { readonly taken: Partial<Editable>; readonly faults: readonly Fault[] };

/**
 * Takes the content of a template's published version as the campaign's own; it is edited like any other. Whoever sends back all
 * that was read names the template that the content is from, and changes nothing by that.
 */
async function takeTemplate(ctx: Ctx, base: Editable, input: CampaignPatch): Promise<Taken> {
  const { template_id: publicId, html, mjml, blocks, text, preview_text: previewText } = input;
  if (publicId === undefined) return { taken: {}, faults: [] };
  if (publicId === null) return { taken: { template_id: null, template_version: null }, faults: [] };
  const hasOwn = html != null || mjml != null || blocks != null;
  if (hasOwn && base.template_id === fromPublicId("tpl", publicId)) return { taken: {}, faults: [] };
  if (hasOwn) {
    const detail = "is there beside html, mjml or blocks; give one of them";
    return { taken: {}, faults: [{ pointer: "/template_id", code: "only_one", detail }] };
  }
  const found = await readPublished(ctx, publicId);
  if ("fault" in found) return { taken: {}, faults: [found.fault] };
  const { content } = found;
  const taken = {
    preview_text: previewText === undefined ? (content.preview_text ?? base.preview_text) : previewText,
    html: content.html,
    mjml: content.mjml,
    blocks: content.blocks,
    text: text === undefined ? content.text : text,
    template_id: found.id,
    template_version: found.version,
  };
  if (hasMarkup(content)) return { taken, faults: [] };
  const detail = "the template has no HTML, which a campaign needs";
  return { taken, faults: [{ pointer: "/template_id", code: "template_without_html", detail }] };
}

/** Only what changes is looked at: an old campaign stays editable when its list has gone. */
async function audienceFaults(ctx: Ctx, base: Editable, merged: Editable): Promise<Fault[]> {
  const faults: Fault[] = [];
  const isNewList = merged.list_id !== base.list_id;
  if (isNewList && !(merged.list_id && (await findList(ctx.sql, ctx.accountId, merged.list_id)))) {
    const detail = "there is no such list in this account";
    faults.push({ pointer: "/list_id", code: "not_found", detail });
  }
  const isNewTopic = merged.topic_id !== null && merged.topic_id !== base.topic_id;
  if (isNewTopic && !(merged.topic_id && (await findTopic(ctx.sql, ctx.accountId, merged.topic_id)))) {
    const detail = "there is no such topic in this account";
    faults.push({ pointer: "/topic_id", code: "not_found", detail });
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
