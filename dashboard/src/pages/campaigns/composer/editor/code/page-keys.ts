import { defaultKeymap } from "@codemirror/commands";
import type { KeyBinding } from "@codemirror/view";

/** The usual keys of an editor, without those that the page itself has. */
export const keysBesideThePage: readonly KeyBinding[] = defaultKeymap.filter(
  ({ key }) => key !== "Mod-Enter",
);
