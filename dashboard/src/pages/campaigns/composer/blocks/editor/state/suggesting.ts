/** What is offered while somebody types: blocks behind `/`, variables behind `{`. The page says what fits, and shows it. */
import { type EditorState, Plugin, PluginKey, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";

type Range = { readonly from: number; readonly to: number };

export type Suggestion = {
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly group?: string | undefined;
  /** Does what it offers; what was typed for it is taken out before. */
  readonly choose: () => void;
};

export type Suggesting = Range & {
  readonly trigger: "/" | "{";
  readonly query: string;
  readonly items: readonly Suggestion[];
  readonly index: number;
};

export type SuggestHost = {
  readonly suggest: (trigger: "/" | "{", query: string) => readonly Suggestion[];
};

type Change = { readonly index: number } | "close";

export const suggestingKey = new PluginKey<Suggesting | null>("suggesting");

const TRIGGERS = [
  ["/", /(?:^|\s)\/(\p{L}{0,20})$/u],
  ["{", /\{\{? ?([\w.]{0,40})$/],
] as const;

export function suggesting(host: SuggestHost): Plugin<Suggesting | null> {
  return new Plugin<Suggesting | null>({
    key: suggestingKey,
    state: {
      init: () => null,
      apply(tr, before, _old, state) {
        const change = tr.getMeta(suggestingKey) as Change | undefined;
        if (change === "close") return null;
        if (change && before) return { ...before, index: change.index };
        if (!tr.docChanged) return before && tr.selection.from === before.to ? before : null;
        // Only what is typed opens it, and not what is pasted, undone or taken from the page.
        if (!before && !isTyped(tr)) return null;
        return find(state, host);
      },
    },
    props: {
      handleKeyDown(view, event) {
        const open = suggestingKey.getState(view.state);
        return open && !event.isComposing ? pressed(view, open, event) : false;
      },
    },
  });
}

const isTyped = (tr: EditorState["tr"]) =>
  tr.getMeta("history$") === undefined &&
  tr.getMeta("uiEvent") === undefined &&
  tr.getMeta("outside") === undefined;

function find(state: EditorState, host: SuggestHost): Suggesting | null {
  const { selection } = state;
  if (!(selection instanceof TextSelection) || !selection.empty) return null;
  const { $from } = selection;
  const before = $from.parent.textBetween(
    Math.max(0, $from.parentOffset - 60),
    $from.parentOffset,
    null,
    "\ufffc",
  );
  for (const [trigger, pattern] of TRIGGERS) {
    const [whole, query = ""] = pattern.exec(before) ?? [];
    if (whole === undefined) continue;
    const items = host.suggest(trigger, query);
    if (items.length === 0) return null;
    const length = whole.length - (/^\s/.test(whole) ? 1 : 0);
    return { trigger, query, items, index: 0, from: $from.pos - length, to: $from.pos };
  }
  return null;
}

function pressed(view: EditorView, open: Suggesting, event: KeyboardEvent): boolean {
  const show = (index: number) => {
    const { length } = open.items;
    view.dispatch(view.state.tr.setMeta(suggestingKey, { index: (index + length) % length }));
  };
  switch (event.key) {
    case "ArrowDown":
      show(open.index + 1);
      return true;
    case "ArrowUp":
      show(open.index - 1);
      return true;
    case "Enter":
    case "Tab":
      chooseSuggestion(view, open.index);
      return true;
    case "Escape":
      view.dispatch(view.state.tr.setMeta(suggestingKey, "close"));
      return true;
    default:
      return false;
  }
}

export function chooseSuggestion(view: EditorView, index: number): void {
  const open = suggestingKey.getState(view.state);
  const item = open?.items[index];
  if (!open || !item) return;
  view.dispatch(view.state.tr.delete(open.from, open.to).setMeta(suggestingKey, "close"));
  item.choose();
}
