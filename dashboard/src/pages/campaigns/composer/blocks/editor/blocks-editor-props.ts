/** What the page and the editor of blocks know of each other. */
import type { Ref } from "react";
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import type { Variable } from "../../fields/variables.ts";

export type BlocksEditorHandle = {
  /** Chooses the block that is the line-th in the order of reading, as the place of a check has it. */
  jumpTo(place: { readonly line: number }): void;
  /** Calls `onChange` at once with what was written last, if that waits. */
  flush(): void;
};

export type BlocksEditorProps = {
  document: BlocksDocument;
  onChange: (document: BlocksDocument) => void;
  /** What a variable may name, with the value that it has for whoever is shown. */
  variables: readonly Variable[];
  /** What a variable is called. */
  nameOf: (variable: string) => string;
  isLocked: boolean;
  /** Where its tools go, above the editor. */
  tools: HTMLElement | null;
  /** Asks whether to go on in MJML. */
  convert: () => void;
  ref?: Ref<BlocksEditorHandle>;
};
