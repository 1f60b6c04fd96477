/** What the editor can do, by what is written in it. Each part costs on every key, so there is none without need. */
import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { history, historyKeymap, indentWithTab, temporarilySetTabFocusMode } from "@codemirror/commands";
import { htmlCompletionSourceWith } from "@codemirror/lang-html";
import { indentOnInput } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { EditorKind } from "../editor-props.ts";
import { checkMarks } from "./check-marks.ts";
import { completionPicture } from "./completion-pictures.ts";
import { highlighting, liquidHighlighting } from "./highlight.ts";
import { markupLanguage } from "./markup-language.ts";
import { mjmlTags } from "./mjml-elements.ts";
import { keysBesideThePage } from "./page-keys.ts";
import { theme } from "./theme.ts";

export type EditorSetup = {
  readonly kind: EditorKind;
  readonly readOnly: boolean;
  readonly label: string;
  /** The id of the element that says how to leave the editor by keyboard. */
  readonly hintId: string;
  readonly liquidSource: CompletionSource;
};

export function extensionsFor({ kind, readOnly, label, hintId, liquidSource }: EditorSetup): Extension {
  // Whoever can't use a pointer scrolls it by its focus, which it must be seen to take.
  const about = { "aria-label": label, "aria-describedby": hintId, tabindex: "0" };
  return [
    theme,
    checkMarks,
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    // The browser's own search finds only the lines that are drawn.
    search({ top: true }),
    keymap.of(searchKeymap),
    languageOf(kind),
    EditorView.contentAttributes.of(readOnly ? { ...about, "aria-readonly": "true" } : about),
    readOnly ? EditorState.readOnly.of(true) : writing(kind, liquidSource),
  ];
}

function languageOf(kind: EditorKind): Extension {
  if (kind === "text") return [liquidHighlighting, EditorView.lineWrapping];
  return [markupLanguage(kind), highlighting];
}

function writing(kind: EditorKind, liquidSource: CompletionSource): Extension {
  const extraTags = kind === "mjml" ? mjmlTags : {};
  const sources = kind === "text" ? [liquidSource] : [liquidSource, htmlCompletionSourceWith({ extraTags })];
  return [
    history(),
    indentOnInput(),
    closeBrackets(),
    EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["{", '"'] } }]),
    autocompletion({
      override: sources,
      icons: false,
      addToOptions: [{ render: completionPicture, position: 20 }],
    }),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...keysBesideThePage,
      indentWithTab,
      // Behind Escape, Tab leaves the editor instead of indenting (WCAG 2.1.2).
      { key: "Escape", run: temporarilySetTabFocusMode },
    ]),
  ];
}
