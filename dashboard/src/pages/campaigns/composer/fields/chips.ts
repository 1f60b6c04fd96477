/** Liquid in a line of text, as chips: each is one thing to the caret and to the reader, and its source when it is copied. */
import { type Extension, RangeSet, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

/** Outputs and tags; one that isn't closed yet is text. */
const LIQUID = /\{\{[^{}]*\}\}|\{%[^{}]*%\}/g;
const OUTPUT = /^\{\{-?\s*([\w.]+)\s*(?:\|\s*default:\s*(["'])(.*?)\2\s*)?-?\}\}$/;

export type ChipWords = {
  /** What a variable is called. */
  readonly nameOf: (variable: string) => string;
  /** What a screen reader hears before the name. */
  readonly prefix: string;
  readonly orElse: (text: string) => string;
};

class Chip extends WidgetType {
  readonly source: string;
  readonly words: ChipWords;

  constructor(source: string, words: ChipWords) {
    super();
    this.source = source;
    this.words = words;
  }

  override eq(other: Chip): boolean {
    return other.source === this.source && other.words === this.words;
  }

  toDOM(): HTMLElement {
    const [, variable, , fallback] = OUTPUT.exec(this.source) ?? [];
    const chip = document.createElement("span");
    chip.className = "cm-chip";
    chip.title = this.source;
    const hidden = document.createElement("span");
    hidden.className = "cm-chip-word";
    hidden.textContent = `${this.words.prefix} `;
    const name = variable === undefined ? this.source.slice(2, -2).trim() : this.words.nameOf(variable);
    const orElse = fallback ? `, ${this.words.orElse(fallback)}` : "";
    const rest = document.createElement("span");
    rest.className = "cm-chip-word";
    rest.textContent = orElse;
    chip.append(hidden, name, rest);
    return chip;
  }
}

function decorate(text: string, words: ChipWords): DecorationSet {
  const found = [...text.matchAll(LIQUID)];
  return RangeSet.of(
    found.map((match) =>
      Decoration.replace({ widget: new Chip(match[0], words) }).range(
        match.index,
        match.index + match[0].length,
      ),
    ),
  );
}

export function chips(words: ChipWords): Extension {
  const field = StateField.define<DecorationSet>({
    create: (state) => decorate(state.doc.toString(), words),
    update: (value, { docChanged, state }) => (docChanged ? decorate(state.doc.toString(), words) : value),
    provide: (self) => [
      EditorView.decorations.from(self),
      EditorView.atomicRanges.of((view) => view.state.field(self)),
    ],
  });
  return field;
}

/** How long the line is to its reader: a chip counts as the text that stands in for it, or as its name. */
export function readLength(text: string, nameOf: ChipWords["nameOf"]): number {
  const read = text.replaceAll(LIQUID, (source) => {
    const [, variable, , fallback] = OUTPUT.exec(source) ?? [];
    return variable === undefined ? "" : fallback || nameOf(variable);
  });
  return [...read].length;
}
