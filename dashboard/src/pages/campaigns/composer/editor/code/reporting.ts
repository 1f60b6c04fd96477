/**
 * Tells the page what is written, between two frames: at once when somebody begins to type or pauses, and rarely while they go on.
 * A long mail as one text for each key, and all that the page does with it, would slow typing.
 */
import { isolateHistory } from "@codemirror/commands";
import { Annotation } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** While somebody goes on typing. */
const EVERY_MS = 400;
/** Longer than between two keys of a quick typist. */
const PAUSE_MS = 100;
/** The frame that shows the key comes first. */
const SOON_MS = 10;
/** Where there is no rest between frames, it is told all the same. */
const REST_WITHIN_MS = 60;

/** Marks a change that comes from the page, and that the page needn't be told of. */
const fromOutside = Annotation.define<true>();

export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(given: string, onChange: (text: string) => void) {
  let known = given;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let view: EditorView | undefined;

  const flush = () => {
    if (timer === undefined || !view) return;
    clearTimeout(timer);
    timer = undefined;
    toldAtMs = performance.now();
    known = view.state.doc.toString();
    onChange(known);
  };
  const listener = EditorView.updateListener.of((update) => {
    view = update.view;
    if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
    clearTimeout(timer);
    const waitMs = Math.min(toldAtMs + EVERY_MS - performance.now(), PAUSE_MS);
    timer = setTimeout(() => whenAtRest(flush), Math.max(waitMs, SOON_MS));
  });
  return {
    listener,
    /** Tells at once what waits to be told, before something else is done with it. */
    flush,
    /** Takes over what the page has, such as a version that is restored, as one change that can be undone. */
    take(editor: EditorView, text: string) {
      if (text === known) return;
      known = text;
      clearTimeout(timer);
      timer = undefined;
      const changes = difference(editor.state.doc.toString(), text.replaceAll(/\r\n?/g, "\n"));
      if (changes === null) return;
      editor.dispatch({ changes, annotations: [fromOutside.of(true), isolateHistory.of("full")] });
    },
  };
}

/** Safari has no such call. */
function whenAtRest(act: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: REST_WITHIN_MS });
  else act();
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
