/** Puts what was pasted where the cursor stands: words among words, paragraphs among paragraphs, and other blocks behind the block. */
import { Fragment, type Node, Slice } from "@tiptap/pm/model";
import { TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { inlinesToEditor } from "../../document/inlines.ts";
import { newId } from "../../document/new-block.ts";
import type { Inline, Leaf } from "../../document/types.ts";
import { insertBlocks, nodeOf } from "../state/block-commands.ts";

export function textToBlocks(text: string): Leaf[] {
  const paragraphs = text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, "")
    .toWellFormed()
    .split(/(?:\r\n?|\n){2,}/)
    .filter((paragraph) => paragraph.trim() !== "");
  const content = paragraphs.map((paragraph) => ({
    type: "paragraph" as const,
    content: linesOf(paragraph),
  }));
  const texts: Leaf[] = [];
  for (let at = 0; at < content.length; at += MOST_PARAGRAPHS)
    texts.push({ id: newId(), type: "text", content: content.slice(at, at + MOST_PARAGRAPHS) });
  return texts;
}

const MOST_PARAGRAPHS = 200;
const MOST_LINES = 200;

/** Very many lines are joined, for one paragraph takes only so many breaks. */
function linesOf(paragraph: string): Inline[] {
  const lines = paragraph.split(/\r\n?|\n/);
  if (lines.length > MOST_LINES) return [{ type: "text", text: lines.join(" ") }];
  return lines.flatMap((line, at): Inline[] => [
    ...(at > 0 ? [{ type: "break" as const }] : []),
    ...(line === "" ? [] : [{ type: "text" as const, text: line }]),
  ]);
}

export function insertPasted(view: EditorView, blocks: readonly Leaf[]) {
  const { state } = view;
  const { $from } = state.selection;
  const isAmongWords = state.selection instanceof TextSelection && $from.parent.isTextblock;
  const words = isAmongWords ? wordsFor($from.parent.type.name, blocks) : undefined;
  if (words) {
    const nodes = inlinesToEditor(words).map((json) => state.schema.nodeFromJSON(json));
    return dispatch(view, new Slice(Fragment.from(nodes), 0, 0));
  }
  const isText = blocks.every(({ type }) => type === "text");
  if (isAmongWords && isText && ["paragraph", "list_item"].includes($from.parent.type.name)) {
    const texts = blocks.map((block) => nodeOf(state.schema, block));
    return dispatch(view, openSlice(texts));
  }
  view.dispatch(insertBlocks(state, blocks).setMeta("uiEvent", "paste"));
}

function dispatch(view: EditorView, slice: Slice): void {
  view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView().setMeta("uiEvent", "paste"));
}

/** All texts as the paragraphs of one, whose ends grow together with what is there. */
function openSlice(texts: readonly Node[]): Slice {
  const [first] = texts;
  const paragraphs = texts.reduce((all, text) => all.append(text.content), Fragment.empty);
  if (!first) return Slice.empty;
  const isList = [paragraphs.firstChild, paragraphs.lastChild].map((part) => part?.type.name === "list");
  return new Slice(Fragment.from(first.copy(paragraphs)), isList[0] ? 1 : 2, isList[1] ? 1 : 2);
}

/** One paragraph is words wherever it goes; and where only words fit, everything is. */
function wordsFor(parent: string, blocks: readonly Leaf[]): Inline[] | undefined {
  const [only, ...others] = blocks;
  const isOne = only?.type === "text" && others.length === 0 && only.content.length === 1;
  const takesOnlyWords = !["paragraph", "list_item", "heading"].includes(parent);
  if (!takesOnlyWords && !(isOne && only.content[0]?.type === "paragraph")) return undefined;
  const lines = blocks.flatMap(linesIn);
  return lines.flatMap((line, at) => (at === 0 ? line : [{ type: "text" as const, text: " " }, ...line]));
}

function linesIn(block: Leaf): Inline[][] {
  if (block.type === "heading" || block.type === "quote") return [[...block.content]];
  if (block.type === "table") return block.rows.flatMap((row) => row.map((cell) => [...cell]));
  if (block.type !== "text") return [];
  return block.content.flatMap((one) =>
    one.type === "list" ? one.items.map(({ content }) => [...content]) : [[...one.content]],
  );
}
