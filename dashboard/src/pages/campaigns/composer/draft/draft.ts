/** The fields of a campaign that are typed as a draft. */
import type { Campaign } from "../../../../api/openapi.ts";
import { draftFields } from "../../../../drafts/draft-fields.ts";

const FIELDS = [
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
  "tracking",
  "utm",
  "on_ambiguous",
  "archive",
] as const satisfies readonly (keyof Campaign)[];

export type DraftField = (typeof FIELDS)[number];
/** What is typed now. An empty field that may be left out is null, as the API has it. */
export type Draft = Pick<Campaign, DraftField>;

/** One way of writing takes the place of the others, and a segment may belong to one list. */
const TOGETHER: readonly (readonly DraftField[])[] = [
  ["html", "mjml", "blocks"],
  ["list_id", "segment_id"],
];

export const CAMPAIGN_FIELDS = draftFields<Campaign, DraftField>(FIELDS, TOGETHER);
