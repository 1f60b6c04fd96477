/** What the address of the composer holds. */
import { type PreviewSearch, readPreviewSearch } from "./preview/search.ts";

export type ComposerSearch = PreviewSearch & { versions?: true | undefined };

export const readComposerSearch = ({ versions, ...rest }: Record<string, unknown>): ComposerSearch => ({
  ...readPreviewSearch(rest),
  versions: versions === true ? versions : undefined,
});
