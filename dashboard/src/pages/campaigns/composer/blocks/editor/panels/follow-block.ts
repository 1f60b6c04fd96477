import type { Editor } from "@tiptap/core";
import { blockById } from "../state/find-blocks.ts";

/** Keeps a box over the element of a block, wherever that goes. It looks once a frame, and only after something changed. */
export function followBlock(editor: Editor, id: string, box: HTMLElement): () => void {
  let frame = 0;
  const place = () => {
    frame = 0;
    const found = blockById(editor.state.doc, id);
    const dom = found && editor.view.nodeDOM(found.pos);
    const host = box.parentElement;
    box.hidden = !(dom instanceof HTMLElement);
    if (!(dom instanceof HTMLElement) || !host) return;
    const [mine, theirs] = [dom.getBoundingClientRect(), host.getBoundingClientRect()];
    box.style.insetBlockStart = `${mine.top - theirs.top}px`;
    box.style.left = `${mine.left - theirs.left}px`;
    box.style.width = `${mine.width}px`;
    box.style.height = `${mine.height}px`;
  };
  const soon = () => {
    if (frame === 0) frame = requestAnimationFrame(place);
  };
  place();
  const sizes = new ResizeObserver(soon);
  sizes.observe(editor.view.dom);
  editor.on("transaction", soon);
  return () => {
    cancelAnimationFrame(frame);
    sizes.disconnect();
    editor.off("transaction", soon);
  };
}
