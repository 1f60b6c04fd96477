import type { Editor } from "@tiptap/core";
import type { Transaction } from "@tiptap/pm/state";
import { ReplaceStep } from "@tiptap/pm/transform";
import { blockById, type Found } from "../state/find-blocks.ts";

/**
 * Keeps a box over the element of a block, wherever that goes. It looks once a frame, and only after something changed. What is typed
 * in the block itself can change its size, of which the browser tells, and not where it begins.
 */
export function followBlock(editor: Editor, id: string, box: HTMLElement): () => void {
  let frame = 0;
  let followed: Found | undefined;
  let element: HTMLElement | undefined;
  const place = () => {
    frame = 0;
    followed = blockById(editor.state.doc, id);
    const dom = followed && editor.view.nodeDOM(followed.pos);
    const host = box.parentElement;
    box.hidden = !(dom instanceof HTMLElement);
    if (!(dom instanceof HTMLElement) || !host) return;
    observe(dom);
    const [mine, theirs] = [dom.getBoundingClientRect(), host.getBoundingClientRect()];
    box.style.insetBlockStart = `${mine.top - theirs.top}px`;
    box.style.left = `${mine.left - theirs.left}px`;
    box.style.width = `${mine.width}px`;
    box.style.height = `${mine.height}px`;
    // In columns, its tools stand beside or above all of them.
    const row = dom.closest(".blk-columns")?.getBoundingClientRect() ?? mine;
    box.style.setProperty("--to-top", `${mine.top - row.top}px`);
    box.style.setProperty("--to-edge", `${theirs.right - mine.right}px`);
  };
  const soon = () => {
    if (frame === 0) frame = requestAnimationFrame(place);
  };
  const sizes = new ResizeObserver(soon);
  const observe = (dom: HTMLElement) => {
    if (dom === element) return;
    if (element) sizes.unobserve(element);
    element = dom;
    sizes.observe(dom);
  };
  const onTransaction = ({ transaction }: { readonly transaction: Transaction }) => {
    if (followed) followed = isWithin(transaction, followed) ? blockAt(transaction, followed) : undefined;
    if (!followed) soon();
  };
  place();
  sizes.observe(editor.view.dom);
  editor.on("transaction", onTransaction);
  return () => {
    cancelAnimationFrame(frame);
    sizes.disconnect();
    editor.off("transaction", onTransaction);
  };
}

const isWithin = ({ steps }: Transaction, { node, pos }: Found): boolean =>
  steps.length === 1 &&
  steps.every((step) => step instanceof ReplaceStep && step.from > pos && step.to < pos + node.nodeSize);

function blockAt({ doc }: Transaction, { node, pos }: Found): Found | undefined {
  const now = doc.nodeAt(pos);
  return now && now.attrs["id"] === node.attrs["id"] ? { node: now, pos } : undefined;
}
