/** Marks the chosen block, so that it has its frame. */
import { Plugin } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { chosenBlock } from "./find-blocks.ts";

export function chosenFrame(): Plugin {
  return new Plugin({
    props: {
      decorations(state) {
        const chosen = chosenBlock(state);
        if (!chosen) return DecorationSet.empty;
        const { pos, node } = chosen;
        return DecorationSet.create(state.doc, [
          Decoration.node(pos, pos + node.nodeSize, { class: "chosen" }),
        ]);
      },
    },
  });
}
