/** What the addresses of the templates' pages hold. */
import { type PreviewSearch, readPreviewSearch } from "../campaigns/composer/preview/search.ts";

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export type TemplatesSearch = { readonly q?: string | undefined; readonly cursor?: string | undefined };

export function readTemplatesSearch({ q, cursor }: Record<string, unknown>): TemplatesSearch {
  // A name that looks like a number is read as one by the router.
  return { q: typeof q === "number" ? String(q) : text(q), cursor: text(cursor) };
}

const PARTS = ["text", "variables"] as const;
/** A version by its number, or the draft. */
export type Compared = number | "draft";

export type TemplateSearch = PreviewSearch & {
  /** What is written; the source where it says nothing. */
  readonly part?: (typeof PARTS)[number] | undefined;
  readonly versions?: true | undefined;
  /** What is compared while the versions are open. */
  readonly from?: Compared | undefined;
  readonly to?: Compared | undefined;
};

function readCompared(value: unknown): Compared | undefined {
  if (value === "draft") return value;
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

export const readTemplateSearch = ({
  part,
  versions,
  from,
  to,
  ...rest
}: Record<string, unknown>): TemplateSearch => ({
  ...readPreviewSearch(rest),
  part: PARTS.find((one) => one === part),
  versions: versions === true ? versions : undefined,
  from: readCompared(from),
  to: readCompared(to),
});
