/** The keys of the editor. Tab is only taken within lists and tables, so that it leads on to what follows elsewhere. */
import { baseKeymap, chainCommands, deleteSelection, toggleMark } from "@tiptap/pm/commands";
import { closeHistory, redo, undo } from "@tiptap/pm/history";
import { keydownHandler } from "@tiptap/pm/keymap";
import type { Schema } from "@tiptap/pm/model";
import {
  AllSelection,
  type Command,
  type EditorState,
  NodeSelection,
  Plugin,
  TextSelection,
  type Transaction,
} from "@tiptap/pm/state";
import { deleteBlock, duplicateBlock, selectBlock } from "./block-commands.ts";
import { lineBreak, newTextBehind, nextPart, pressEnter } from "./enter-key.ts";
import { blockAround, chosenBlock, isBlock } from "./find-blocks.ts";
import { pressBackspace, pressDelete } from "./joining-keys.ts";
import { shiftItems } from "./lists.ts";
import { moveBlock } from "./move-block.ts";

/** What the page does for the editor. */
export type KeyHost = {
  readonly openSettings: () => void;
  readonly focusToolbar: () => void;
  readonly askForLink: () => void;
  /** Says aloud what became of a block. */
  readonly announce: (what: "movedUp" | "movedDown" | "duplicated" | "deleted") => void;
};

type Step = (state: EditorState) => Transaction | undefined;

/** A step as the editor's own commands are written. */
const asCommand =
  (step: Step, then?: () => void): Command =>
  (state, dispatch) => {
    const tr = step(state);
    if (!tr) return false;
    // What is done with a whole block is a step of its own, and not one with what was typed just before.
    dispatch?.(then ? closeHistory(tr) : tr);
    if (dispatch) then?.();
    return true;
  };

export function keys(schema: Schema, host: KeyHost): Plugin {
  const opened: Command = (state) => {
    if (!chosenBlock(state)) return false;
    host.openSettings();
    return true;
  };
  const mark = (name: string): Command => {
    const type = schema.marks[name];
    return type ? toggleMark(type) : () => false;
  };
  const handler = keydownHandler({
    ...baseKeymap,
    "Mod-z": undo,
    "Mod-y": redo,
    "Mod-Shift-z": redo,
    "Mod-b": mark("bold"),
    "Mod-i": mark("italic"),
    "Mod-u": mark("underline"),
    "Mod-Shift-x": mark("strike"),
    "Mod-Shift-k": called(host.askForLink),
    "Alt-ArrowUp": taken(
      asCommand(
        (state) => moveBlock(state, "up"),
        () => host.announce("movedUp"),
      ),
    ),
    "Alt-ArrowDown": taken(
      asCommand(
        (state) => moveBlock(state, "down"),
        () => host.announce("movedDown"),
      ),
    ),
    "Mod-d": taken(asCommand(duplicateBlock, () => host.announce("duplicated"))),
    "Mod-Shift-Backspace": asCommand(deleteBlock, () => host.announce("deleted")),
    "Alt-F10": called(host.focusToolbar),
    "Alt-Enter": opened,
    Escape: asCommand(outwards),
    Enter: chainCommands(asCommand(pressEnter), opened),
    "Shift-Enter": asCommand(lineBreak),
    Backspace: chainCommands(deleteSelection, asCommand(pressBackspace), baseKeymap["Backspace"] ?? never),
    Delete: chainCommands(deleteSelection, asCommand(pressDelete), baseKeymap["Delete"] ?? never),
    Tab: asCommand((state) => shiftItems(state, 1) ?? inTable(state, 1)),
    "Shift-Tab": asCommand((state) => shiftItems(state, -1) ?? inTable(state, -1)),
  });
  return new Plugin({
    props: {
      handleKeyDown: handler,
      // A letter must not take the place of a block that is selected: it begins a text behind it.
      handleTextInput(view, _from, _to, text) {
        const { selection } = view.state;
        const isWhole = selection instanceof NodeSelection && isBlock(selection.node);
        if (!isWhole && !(selection instanceof AllSelection && view.state.doc.childCount === 0)) return false;
        view.dispatch(newTextBehind(view.state, text));
        return true;
      },
    },
  });
}

const never: Command = () => false;

/** A key of ours does nothing else, also where it has nothing to do. */
const taken =
  (command: Command): Command =>
  (...args) => {
    command(...args);
    return true;
  };

const called =
  (act: () => void): Command =>
  () => {
    act();
    return true;
  };

/** From the words to their block, and from a block to the columns around it. */
function outwards(state: EditorState): Transaction | undefined {
  const { selection, doc } = state;
  if (selection instanceof TextSelection) {
    const chosen = chosenBlock(state);
    return chosen && selectBlock(state, chosen.pos);
  }
  const around = selection instanceof NodeSelection ? blockAround(doc, selection.from) : undefined;
  return around && selectBlock(state, around.pos);
}

const inTable = (state: EditorState, by: 1 | -1) =>
  state.selection.$from.parent.type.name === "table_cell" ? nextPart(state, by) : undefined;
