/** Tells the page what is written in the editor of code, and takes over what the page has from elsewhere. */
import { isolateHistory } from "@codemirror/commands";
import { Annotation } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createTelling } from "../telling.ts";

/** Marks a change that comes from the page, and that the page needn't be told of. */
const fromOutside = Annotation.define<true>();

export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(given: string, onChange: (text: string) => void) {
  let known = given;
  let view: EditorView | undefined;
  const telling = createTelling(() => {
    if (!view) return;
    known = view.state.doc.toString();
    onChange(known);
  });
  const listener = EditorView.updateListener.of((update) => {
    view = update.view;
    if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
    telling.changed();
  });
  return {
    listener,
    flush: telling.flush,
    /** Takes over what the page has, such as a version that is restored, as one change that can be undone. */
    take(editor: EditorView, text: string) {
      if (text === known) return;
      known = text;
      telling.forget();
      const changes = difference(editor.state.doc.toString(), text.replaceAll(/\r\n?/g, "\n"));
      if (changes === null) return;
      editor.dispatch({ changes, annotations: [fromOutside.of(true), isolateHistory.of("full")] });
    },
  };
}

/** The one stretch in which two texts differ, so that a cursor outside of it stays where it is. */
function difference(before: string, after: string) {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
