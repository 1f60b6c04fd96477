/** What nodes say that isn't written in the mail: names of kinds, notes and placeholders. */
import type { Condition, Repeat } from "../../document/types.ts";

export type EditorWords = {
  readonly variable: (name: string, fallback: string | null) => string;
  readonly onlyFor: (condition: Condition) => string;
  readonly repeat: (repeat: Repeat) => string;
  /** What stands faintly where nothing is written yet. */
  readonly placeholder: (node: string) => string;
  readonly kept: (type: string) => string;
  readonly elsewhere: (address: string) => string;
  readonly notDescribed: () => string;
  readonly decoration: () => string;
  readonly divider: () => string;
  readonly spacer: (height: number) => string;
  readonly emptyHtml: () => string;
  readonly emptyColumn: () => string;
  readonly postalAddress: () => string;
};

const itself = (text: string) => text;
const nothing = () => "";

/** For the schema alone, where nothing is shown. */
export const NO_WORDS: EditorWords = {
  variable: itself,
  onlyFor: nothing,
  repeat: nothing,
  placeholder: nothing,
  kept: itself,
  elsewhere: itself,
  notDescribed: nothing,
  decoration: nothing,
  divider: nothing,
  spacer: nothing,
  emptyHtml: nothing,
  emptyColumn: nothing,
  postalAddress: nothing,
};
