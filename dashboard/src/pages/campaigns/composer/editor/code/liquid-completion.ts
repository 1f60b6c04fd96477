/** Offers variables with the values that they have for somebody, and Liquid's tags and filters. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import type { MergeNames } from "../use-variables.ts";
import { liquidSpot, MOST_BEFORE } from "./liquid-spot.ts";

export type Words = {
  /** Stands above the variables, with what is typed where that is something. */
  readonly variables: (typed: string) => string;
  readonly filters: string;
  readonly tags: string;
};

export function liquidCompletion(names: () => MergeNames | undefined, words: Words) {
  return ({ state, pos }: CompletionContext): CompletionResult | null => {
    const known = names();
    const spot = liquidSpot(state.sliceDoc(Math.max(0, pos - MOST_BEFORE), pos));
    if (!known || !spot) return null;
    const from = pos - spot.typed.length;
    const options = { variable: variables, filter: filters, tag: tags }[spot.kind](known, spot.typed, words);
    // What is found is chosen anew with each letter, since the heading names what is typed.
    return options.length === 0 ? null : { from, options, filter: false };
  };
}

function variables({ variables: all }: MergeNames, typed: string, words: Words): Completion[] {
  const section = words.variables(typed);
  return all
    .filter(({ name, label }) => beginsWith(typed, name, ...name.split("."), label ?? ""))
    .map(({ name, type, value }) => ({
      label: name,
      type: /^(?:first_name|last_name|email)$/.test(name) ? "person" : type,
      ...(value !== null && { detail: value }),
      section,
      apply: (view, _completion, from, to) => put(view, name, from, to, "}}"),
    }));
}

function filters({ filters: all }: MergeNames, typed: string, words: Words): Completion[] {
  return all
    .filter((name) => beginsWith(typed, name))
    .map((label) => ({ label, type: "filter", section: words.filters }));
}

function tags({ tags: all }: MergeNames, typed: string, words: Words): Completion[] {
  const ends = all.flatMap(({ end }) => (end === null ? [] : [end]));
  const names = [...all.map(({ name }) => name), "else", "elsif", "when", ...ends];
  return names
    .filter((name) => beginsWith(typed, name))
    .map((name) => ({
      label: name,
      type: "tag",
      section: words.tags,
      apply: (view, _completion, from, to) => put(view, name, from, to, "%}", !isWhole(name)),
    }));
}

/** These are written without anything behind them. */
const isWhole = (tag: string) => /^(?:end|else$|comment$|raw$|break$|continue$)/.test(tag);

function beginsWith(typed: string, ...names: readonly string[]): boolean {
  const wanted = typed.toLowerCase();
  return names.some((name) => name.toLowerCase().startsWith(wanted));
}

/** Puts a name between the braces with a blank on both sides, and the cursor behind them, or where more is to be typed. */
function put(view: EditorView, name: string, from: number, to: number, end: string, goesOn = false): void {
  const { state } = view;
  const before = /[{%]/.test(state.sliceDoc(from - 1, from)) ? " " : "";
  const closing = new RegExp(`^ ?${end}`).exec(state.sliceDoc(to, to + 1 + end.length))?.[0] ?? "";
  const insert = `${before}${name} ${end}`;
  view.dispatch({
    changes: { from, to: to + closing.length, insert },
    selection: { anchor: from + insert.length - (goesOn ? end.length : 0) },
    userEvent: "input.complete",
    scrollIntoView: true,
  });
}
