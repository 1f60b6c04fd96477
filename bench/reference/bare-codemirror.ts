/** CodeMirror with lines, colours of HTML and a history, and nothing around it. It is bundled, and runs in a browser. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

// biome-ignore lint/suspicious/noExplicitAny: benches are typed for Node.js, where there is no document.
const { document, mail } = globalThis as any;

new EditorView({
  doc: mail,
  parent: document.body,
  extensions: [
    lineNumbers(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    html(),
    syntaxHighlighting(defaultHighlightStyle),
    EditorView.theme({ "&": { height: "800px" }, ".cm-scroller": { overflow: "auto" } }),
    EditorView.contentAttributes.of({ "aria-label": "Content, as it is" }),
  ],
});
