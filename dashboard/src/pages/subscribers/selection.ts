/** Which subscribers are selected: some, by their ids, on whatever page they stand; or all whom the filter leaves. */
import { useState } from "react";
import type { Subscriber } from "../../api/openapi.ts";

export type Selection = {
  readonly ids: ReadonlySet<string>;
  /** All whom the filter leaves, also those on other pages. */
  readonly isAll: boolean;
  has(id: string): boolean;
  /** With `toHere`, all between the row that was last chosen and this one get what this one gets. */
  toggle(id: string, toHere: boolean): void;
  togglePage(): void;
  selectAll(): void;
  clear(): void;
};

type State = {
  /** The filter that the selection was made with: another one begins anew. */
  readonly filter: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly last: string | undefined;
};

export function useSelection(filter: string, rows: readonly Subscriber[]): Selection {
  const none: State = { filter, ids: new Set(), isAll: false, last: undefined };
  const [kept, setState] = useState(none);
  const state = kept.filter === filter ? kept : none;
  const page = rows.map(({ id }) => id);
  const has = (id: string) => state.isAll || state.ids.has(id);
  /** Of all, one that is taken out leaves the others of the page. */
  const named = () => new Set(state.isAll ? page : state.ids);

  return {
    ids: state.ids,
    isAll: state.isAll,
    has,
    toggle(id, toHere) {
      const ids = named();
      const isOn = !has(id);
      for (const one of toHere ? between(page, state.last, id) : [id]) {
        if (isOn) ids.add(one);
        else ids.delete(one);
      }
      setState({ filter, ids, isAll: false, last: id });
    },
    togglePage() {
      const ids = named();
      const isOn = !page.every(has);
      for (const one of page) {
        if (isOn) ids.add(one);
        else ids.delete(one);
      }
      setState({ filter, ids, isAll: false, last: undefined });
    },
    selectAll: () => setState({ ...none, isAll: true }),
    clear: () => setState(none),
  };
}

function between(page: readonly string[], from: string | undefined, to: string): readonly string[] {
  const ends = [page.indexOf(from ?? to), page.indexOf(to)].toSorted((a, b) => a - b);
  const [first = -1, last = -1] = ends;
  return first < 0 ? [to] : page.slice(first, last + 1);
}
