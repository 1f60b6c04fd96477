/** Tells the page what is written in blocks. What the page has from elsewhere is taken over as one change that can be undone. */
import { closeHistory } from "@tiptap/pm/history";
import { Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import type { BlocksDocument } from "../../../../../../api/openapi.ts";
import { createTelling } from "../../../editor/telling.ts";
import { docOf, documentOf } from "./document-of.ts";

export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(given: BlocksDocument, onChange: (document: BlocksDocument) => void) {
  let known = given;
  let view: EditorView | undefined;
  const telling = createTelling(() => {
    if (!view) return;
    known = documentOf(view.state.doc);
    onChange(known);
  });
  const plugin = new Plugin({
    state: {
      init: () => null,
      apply(tr) {
        if (tr.docChanged && tr.getMeta("outside") === undefined) telling.changed();
        return null;
      },
    },
    view(made) {
      view = made;
      return {};
    },
  });
  return {
    plugin,
    flush: telling.flush,
    take(document: BlocksDocument) {
      if (document === known || !view) return;
      known = document;
      telling.forget();
      replace(view, document);
    },
  };
}

/** Changes only the stretch in which the two differ, so that a cursor outside of it stays where it is. */
function replace(view: EditorView, document: BlocksDocument): void {
  const { state } = view;
  const next = docOf(state.schema, document);
  const start = state.doc.content.findDiffStart(next.content);
  const isHeadSame = JSON.stringify(state.doc.attrs["head"]) === JSON.stringify(next.attrs["head"]);
  if (start === null && isHeadSame) return;
  const tr = closeHistory(state.tr).setMeta("outside", true);
  if (!isHeadSame) tr.setDocAttribute("head", next.attrs["head"]);
  const end = start === null ? null : state.doc.content.findDiffEnd(next.content);
  if (start !== null && end) {
    // Where the same stands twice, the two ends may overlap.
    const overlap = start - Math.min(end.a, end.b);
    const shift = overlap > 0 ? overlap : 0;
    tr.replace(start, end.a + shift, next.slice(start, end.b + shift));
  }
  view.dispatch(tr);
}
