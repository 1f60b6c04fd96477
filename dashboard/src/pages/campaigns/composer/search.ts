/** What the address of the composer holds: whether the versions are open, and how the mail is previewed. */
import { type PreviewSearch, readPreviewSearch } from "./preview/search.ts";

export type ComposerSearch = PreviewSearch & {
  readonly versions?: true | undefined;
  /** The version that is looked at. */
  readonly version?: number | undefined;
  /** The subscriber as whom it is previewed. */
  readonly as?: string | undefined;
};

export const readComposerSearch = ({
  versions,
  version,
  as,
  ...rest
}: Record<string, unknown>): ComposerSearch => ({
  ...readPreviewSearch(rest),
  versions: versions === true ? versions : undefined,
  version: typeof version === "number" && Number.isInteger(version) && version > 0 ? version : undefined,
  as: typeof as === "string" && as.startsWith("sub_") ? as : undefined,
});
