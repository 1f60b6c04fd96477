import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Files that are dropped or pasted go to the page, which uploads them; the cursor goes to where they were dropped. */
export function takingFiles(take: (files: readonly File[]) => void): Extension {
  const accept = (event: Event, files: FileList | undefined) => {
    if (!files || files.length === 0) return false;
    event.preventDefault();
    take([...files]);
    return true;
  };
  return EditorView.domEventHandlers({
    // A cell of a table has a picture of itself beside its text; the text is meant.
    paste: (event) =>
      event.clipboardData?.types.includes("text/plain") ? false : accept(event, event.clipboardData?.files),
    drop(event, view) {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null && event.dataTransfer?.files.length) view.dispatch({ selection: { anchor: at } });
      return accept(event, event.dataTransfer?.files);
    },
  });
}
