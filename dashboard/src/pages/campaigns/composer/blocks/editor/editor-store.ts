/** What the tools around the editor show. They are drawn anew when that changes, and not for each key. */
import type { Editor } from "@tiptap/core";
import { redoDepth, undoDepth } from "@tiptap/pm/history";
import { NodeSelection } from "@tiptap/pm/state";
import { useSyncExternalStore } from "react";
import { KEPT, type Kind, kindOfNode } from "../document/kinds.ts";
import type { Attributes } from "../document/types.ts";
import { blockAround, chosenBlock, idOf } from "./state/find-blocks.ts";
import { listAt } from "./state/lists.ts";
import { type Suggesting, suggestingKey } from "./state/suggesting.ts";

export type ShownKind = Kind | typeof KEPT;

export type Chosen = {
  readonly id: string;
  readonly kind: ShownKind;
  readonly attrs: Attributes;
  /** The block itself is selected, and not words in it. */
  readonly isWhole: boolean;
  /** Words are written where the cursor stands. */
  readonly isWriting: boolean;
  /** The columns around it, or it itself. */
  readonly columnsId: string | undefined;
};

export type Shown = {
  readonly chosen: Chosen | undefined;
  readonly marks: string;
  readonly link: string | undefined;
  readonly colour: string | undefined;
  readonly list: "ordered" | "bullet" | undefined;
  /** The variable that is selected. */
  readonly variable: Attributes | undefined;
  readonly isEmpty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly head: Attributes;
  readonly suggesting: Suggesting | null;
};

export type EditorStore = ReturnType<typeof createStore>;

export function createStore(editor: Editor) {
  let shown = look(editor);
  const listeners = new Set<() => void>();
  editor.on("transaction", () => {
    const next = look(editor);
    if (isSame(shown, next)) return;
    shown = next;
    for (const listener of listeners) listener();
  });
  return {
    snapshot: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useShown(store: EditorStore): Shown {
  return useSyncExternalStore(store.subscribe, store.snapshot);
}

function look({ state }: Editor): Shown {
  const { selection, schema } = state;
  const { $from } = selection;
  const marks = selection.empty
    ? (state.storedMarks ?? $from.marks())
    : ($from.nodeAfter?.marks ?? $from.marks());
  const attrOf = (mark: string, name: string) => {
    const found = marks.find(({ type }) => type === schema.marks[mark]);
    return found ? String(found.attrs[name]) : undefined;
  };
  const isVariable = selection instanceof NodeSelection && selection.node.type.name === "variable";
  return {
    chosen: chosenIn(state),
    marks: marks.map(({ type }) => type.name).join(" "),
    link: attrOf("link", "href"),
    colour: attrOf("colour", "colour"),
    list: listAt(state),
    variable: isVariable ? selection.node.attrs : undefined,
    isEmpty: state.doc.childCount === 0,
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
    head: state.doc.attrs["head"] as Attributes,
    suggesting: suggestingKey.getState(state) ?? null,
  };
}

function chosenIn(state: Editor["state"]): Chosen | undefined {
  const found = chosenBlock(state);
  if (!found) return undefined;
  const { node, pos } = found;
  const around = node.type.name === "columns" ? found : blockAround(state.doc, pos);
  const { selection } = state;
  return {
    id: idOf(node),
    kind: kindOfNode(node.type.name) ?? KEPT,
    attrs: node.attrs,
    isWhole: selection instanceof NodeSelection && selection.from === pos,
    isWriting: selection.$from.parent.isTextblock,
    columnsId: around && idOf(around.node),
  };
}

function isSame(one: Shown, other: Shown): boolean {
  const { chosen: a, ...rest } = one;
  const { chosen: b, ...others } = other;
  return (
    isShallowSame(rest, others) && (a === b || (a !== undefined && b !== undefined && isShallowSame(a, b)))
  );
}

function isShallowSame<T extends object>(one: T, other: T): boolean {
  return (Object.keys(one) as (keyof T)[]).every((name) => one[name] === other[name]);
}
