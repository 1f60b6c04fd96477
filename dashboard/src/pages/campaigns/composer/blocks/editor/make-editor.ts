/** Makes the editor of its nodes, marks and plugins. */
import { Editor, Extension, type JSONContent } from "@tiptap/core";
import { dropCursor } from "@tiptap/pm/dropcursor";
import { history } from "@tiptap/pm/history";
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import { documentToEditor } from "../document/to-editor.ts";
import { clipboard, type PasteHost } from "./paste/clipboard.ts";
import { nodesAndMarks } from "./schema/editor-schema.ts";
import type { EditorWords } from "./schema/words.ts";
import { chosenFrame } from "./state/chosen-frame.ts";
import { remember } from "./state/document-of.ts";
import { type KeyHost, keys } from "./state/keys.ts";
import type { Reporter } from "./state/reporting.ts";
import { type SuggestHost, suggesting, suggestingKey } from "./state/suggesting.ts";
import { scrollOfLetters } from "./state/typing.ts";
import { uniqueIds } from "./state/unique-ids.ts";

export type EditorHost = KeyHost & PasteHost & SuggestHost;

type Options = {
  readonly element: HTMLElement;
  readonly document: BlocksDocument;
  readonly words: EditorWords;
  readonly host: EditorHost;
  readonly reporter: Reporter;
  readonly isEditable: boolean;
  readonly label: string;
  readonly hintId: string;
  /** The list of what is offered, while something is. */
  readonly listId: string;
};

/** Nothing is lost for good: this many steps can be taken back. */
const DEEPEST_PAST = 500;

export function makeEditor({
  element,
  document,
  words,
  host,
  reporter,
  isEditable,
  ...said
}: Options): Editor {
  const ours = Extension.create({
    name: "blocks",
    addProseMirrorPlugins() {
      const { schema } = this.editor;
      return [
        suggesting(host),
        keys(schema, host),
        scrollOfLetters(),
        history({ depth: DEEPEST_PAST }),
        uniqueIds(),
        chosenFrame(),
        dropCursor({ width: 3, color: false, class: "blocks-drop" }),
        clipboard(host),
        reporter.plugin,
      ];
    },
  });
  const editor = new Editor({
    element,
    extensions: [...nodesAndMarks(words), ours],
    content: documentToEditor(document) as JSONContent,
    editable: isEditable,
    // The page's policy lets no script write style elements.
    injectCSS: false,
    enableCoreExtensions: {
      keymap: false,
      delete: false,
      drop: false,
      paste: false,
      textDirection: false,
      focusEvents: false,
    },
    editorProps: {
      attributes: (state) => {
        const open = suggestingKey.getState(state);
        return {
          class: "blocks-root",
          role: "textbox",
          "aria-multiline": "true",
          "aria-label": said.label,
          "aria-describedby": said.hintId,
          ...(open && {
            "aria-controls": said.listId,
            "aria-activedescendant": `${said.listId}-${open.index}`,
          }),
        };
      },
    },
  });
  remember(editor.state.doc, document);
  return editor;
}
