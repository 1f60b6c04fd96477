/** What the page and the editor know of each other. */
import type { Ref } from "react";
import type { Check } from "./code/check-marks.ts";
import type { Place } from "./code/locate.ts";
import type { MergeNames } from "./use-variables.ts";

export type EditorKind = "mjml" | "html" | "text";

export type CodeEditorHandle = {
  /** Selects a place, scrolls to it and puts the cursor there. A check's `place` may be given as it is. */
  jumpTo(place: Place): void;
  /** Puts a text where the cursor is, in place of what is selected. */
  insert(text: string): void;
  focus(): void;
  /** Calls `onChange` at once with what was typed last, if that waits. */
  flush(): void;
};

export type CodeEditorProps = {
  kind: EditorKind;
  /** What is written. Another text than the one last told replaces it, and can be undone. */
  value: string;
  /** Hears of changes some times a second, and of the last one when the editor loses the focus. */
  onChange?: (value: string) => void;
  checks?: readonly Check[] | undefined;
  variables?: MergeNames | undefined;
  /** Gets files that are dropped or pasted. */
  onPictures?: (files: readonly File[]) => void;
  readOnly?: boolean;
  /** What it is called to screen readers, where that isn't the kind alone. */
  label?: string;
  ref?: Ref<CodeEditorHandle>;
};
