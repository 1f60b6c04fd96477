/** A draft as it is typed, and what of it would change the campaign. These functions are pure. */
import type { Campaign, CampaignPatch } from "../../../../api/openapi.ts";
import type { ApiError } from "../../../../api/problem.ts";
import { sentence } from "../../../../kit/sentence.ts";

const FIELDS = [
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
  "tracking",
  "utm",
  "on_ambiguous",
  "archive",
] as const satisfies readonly (keyof Campaign)[];

export type DraftField = (typeof FIELDS)[number];
/** What is typed now. An empty field that may be left out is null, as the API has it. */
export type Draft = Pick<Campaign, DraftField>;

export function draftOf(campaign: Draft): Draft {
  return Object.fromEntries(FIELDS.map((field) => [field, campaign[field]])) as Draft;
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** The fields in which the two differ. */
export function changedFields(before: Draft, after: Draft): readonly DraftField[] {
  return FIELDS.filter((field) => !isSameValue(before[field], after[field]));
}

export function pickFields(draft: Draft, fields: readonly DraftField[]): Partial<Draft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}

export const patchOf = (draft: Draft, fields: readonly DraftField[]): CampaignPatch =>
  pickFields(draft, fields) as CampaignPatch;

/** These are only right together: HTML takes the place of MJML, and a segment may belong to one list. */
const TOGETHER: readonly (readonly DraftField[])[] = [
  ["html", "mjml"],
  ["list_id", "segment_id"],
];

/** The fields that a refusal is about, with those that must not be saved without them. */
export function withCompanions(fields: Iterable<string>): ReadonlySet<DraftField> {
  const all = new Set<DraftField>();
  for (const field of fields) {
    const known = FIELDS.find((one) => one === field);
    const company = TOGETHER.find((group) => group.some((one) => one === field));
    for (const one of company ?? (known ? [known] : [])) all.add(one);
  }
  return all;
}

export type Merged = {
  /** Theirs, with what I changed; where both changed a field, it is mine. */
  readonly draft: Draft;
  /** The fields that both changed, and not to the same. */
  readonly contested: readonly DraftField[];
};

/** What two people made of the same campaign. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): Merged {
  const ofMine = [...withCompanions(changedFields(base, mine))];
  const ofTheirs = withCompanions(changedFields(base, theirs));
  return {
    draft: { ...theirs, ...pickFields(mine, ofMine) },
    contested: ofMine.filter((field) => ofTheirs.has(field) && !isSameValue(mine[field], theirs[field])),
  };
}

/** What is said of each field: the pointer `/utm/source` is about `utm.source`. */
export function faultsOf(error: ApiError): Readonly<Record<string, string>> {
  return Object.fromEntries(
    error.faults.map(({ pointer, detail }) => [
      (pointer ?? "").slice(1).replaceAll("/", "."),
      sentence(detail),
    ]),
  );
}
