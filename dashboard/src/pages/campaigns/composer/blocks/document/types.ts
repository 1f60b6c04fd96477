/** The parts of a mail made of blocks, and the nodes that the editor makes of them. */
import type { BlocksDocument } from "../../../../../api/openapi.ts";

export type Block = BlocksDocument["blocks"][number];
type Columns = Extract<Block, { type: "columns" }>;
export type Leaf = Columns["columns"][number]["blocks"][number];
export type Inline = Extract<Leaf, { type: "heading" }>["content"][number];
export type Paragraph = Extract<Leaf, { type: "text" }>["content"][number];
export type Condition = NonNullable<Leaf["only_for"]>;
export type Repeat = NonNullable<Leaf["repeat"]>;
export type Align = "left" | "center" | "right";
export type Style = NonNullable<BlocksDocument["style"]>;

export type Attributes = Readonly<Record<string, unknown>>;
export type EditorMark = { readonly type: string; readonly attrs?: Attributes };

/** A node as the editor reads and writes it. */
export type EditorNode = {
  readonly type: string;
  readonly attrs?: Attributes;
  readonly content?: readonly EditorNode[];
  readonly marks?: readonly EditorMark[];
  readonly text?: string;
};
