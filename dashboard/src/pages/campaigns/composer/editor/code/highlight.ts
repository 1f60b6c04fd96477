/** Colours what is on the screen: the markup by what the parser found, and Liquid by its braces, wherever it stands. */
import { syntaxTree } from "@codemirror/language";
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

const CLASSES: Readonly<Record<string, string>> = {
  StartTag: "cm-tagName",
  StartCloseTag: "cm-tagName",
  TagName: "cm-tagName",
  EndTag: "cm-tagName",
  SelfClosingEndTag: "cm-tagName",
  AttributeName: "cm-attribute",
  AttributeValue: "cm-value",
  UnquotedAttributeValue: "cm-value",
  Comment: "cm-comment",
  DoctypeDecl: "cm-comment",
  EntityReference: "cm-value",
};
const marks = new Map(Object.values(CLASSES).map((name) => [name, Decoration.mark({ class: name })]));

function markTree(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  const tree = syntaxTree(view.state);
  for (const { from, to } of view.visibleRanges) {
    tree.iterate({
      from,
      to,
      enter(node) {
        if (node.name === "StyleText")
          markStyle(view, Math.max(node.from, from), Math.min(node.to, to), found);
        const mark = marks.get(CLASSES[node.name] ?? "");
        if (!mark || node.from === node.to) return true;
        found.add(node.from, node.to, mark);
        return false;
      },
    });
  }
  return found.finish();
}

/** Names of properties, in what is seen of a style sheet. */
function markStyle(view: EditorView, from: number, to: number, found: RangeSetBuilder<Decoration>): void {
  const mark = marks.get("cm-attribute");
  if (!mark || from >= to) return;
  for (const { index, 0: name } of view.state.sliceDoc(from, to).matchAll(/[\w-]+(?=\s*:[^{]*?(?:[;}]|$))/gm))
    found.add(from + index, from + index + name.length, mark);
}

const markup = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = markTree(view);
    }
    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate) {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = markTree(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

const liquidMatcher = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: "cm-liquid" }),
});

const liquid = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = liquidMatcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = liquidMatcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Liquid comes first, so that its mark encloses the others. */
export const highlighting: Extension = [liquid, markup];
export const liquidHighlighting: Extension = liquid;
