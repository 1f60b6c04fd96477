/** The nodes and marks of the blocks editor: those that a document of blocks has, and no others. */
import { type AnyExtension, getSchema } from "@tiptap/core";
import type { Schema } from "@tiptap/pm/model";
import { blockNodes } from "./block-nodes.ts";
import { marks } from "./marks.ts";
import { wordNodes } from "./word-nodes.ts";
import { type EditorWords, NO_WORDS } from "./words.ts";

export const nodesAndMarks = (words: EditorWords): AnyExtension[] => [
  ...wordNodes(words),
  ...blockNodes(words),
  ...marks,
];

export const editorSchema = (): Schema => getSchema(nodesAndMarks(NO_WORDS));
