/** What the tools around the editor do with it. */
import type { Editor } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { EditorState, Transaction } from "@tiptap/pm/state";
import { isKind, KEPT, type Kind } from "../document/kinds.ts";
import { newBlock } from "../document/new-block.ts";
import type { Block } from "../document/types.ts";
import type { EditorStore, ShownKind } from "./editor-store.ts";
import { insertBlocks } from "./state/block-commands.ts";
import { blocksInOrder, chosenBlock } from "./state/find-blocks.ts";

/** The small windows of the editor, of which one is open at a time. */
export type Open =
  | { readonly kind: "settings" }
  | { readonly kind: "words" }
  | { readonly kind: "style" }
  | { readonly kind: "outline" }
  | { readonly kind: "ask"; readonly what: "button" | "social" | "link" }
  | { readonly kind: "saveSection"; readonly block: Block }
  | { readonly kind: "sections" }
  /** A picture is chosen, or these are uploaded; then it goes into the mail, or takes the place of another. */
  | { readonly kind: "pictures"; readonly files: readonly File[]; readonly forId?: string };

export type Said =
  | "movedUp"
  | "movedDown"
  | "duplicated"
  | "deleted"
  | "inserted"
  | "chosen"
  | "undone"
  | "redone";

export type Controls = {
  readonly editor: Editor;
  readonly store: EditorStore;
  readonly setOpen: (open: Open | undefined) => void;
  /** Names the chosen block, unless another kind is given. */
  readonly announce: (said: Said, kind?: ShownKind) => void;
  /** Does a step, and gives the focus back to the editor. Answers whether there was something to do. */
  readonly act: (step: (state: EditorState) => Transaction | undefined, said?: Said) => boolean;
  /** Does a step for a field that keeps the focus. */
  readonly change: (step: (state: EditorState) => Transaction | undefined) => void;
  readonly insertKind: (kind: Kind) => void;
  readonly insert: (blocks: readonly Block[]) => void;
};

type Words = { readonly unsubscribe: string; readonly preferences: string };

export function createControls(
  editor: Editor,
  store: EditorStore,
  { setOpen, announce, words }: Pick<Controls, "setOpen" | "announce"> & { readonly words: () => Words },
): Controls {
  const change: Controls["change"] = (step) => {
    const tr = step(editor.state);
    if (tr) editor.view.dispatch(tr);
  };
  const act: Controls["act"] = (step, said) => {
    const tr = step(editor.state);
    if (tr) editor.view.dispatch(said ? closeHistory(tr) : tr);
    editor.view.focus();
    if (tr && said) announce(said);
    return tr !== undefined;
  };
  const insert: Controls["insert"] = (blocks) => {
    act((state) => closeHistory(insertBlocks(state, blocks)));
    const type = blocks[0]?.type ?? "";
    announce("inserted", isKind(type) ? type : KEPT);
  };
  return {
    editor,
    store,
    setOpen,
    announce,
    act,
    change,
    insert,
    insertKind(kind) {
      if (kind === "image") return setOpen({ kind: "pictures", files: [] });
      if (kind === "button" || kind === "social") return setOpen({ kind: "ask", what: kind });
      insert([newBlock(kind, words())]);
      if (kind === "html") setOpen({ kind: "settings" });
    },
  };
}

/** Where the chosen block stands among all. */
export function placeOf(state: EditorState): { readonly at: number; readonly count: number } {
  const blocks = blocksInOrder(state.doc);
  const chosen = chosenBlock(state);
  return { at: blocks.findIndex(({ pos }) => pos === chosen?.pos) + 1, count: blocks.length };
}
