import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "../icon.tsx";

type SortHeadProps<S extends string> = {
  className?: string | undefined;
  /** The orders that a click goes through; a name that begins with a minus goes downwards. */
  sorts: readonly [S, S?];
  sort: S;
  onSort: (sort: S) => void;
  children: ReactNode;
};

/** The head of a column that the API sorts by. */
export function SortHead<S extends string>({ className, sorts, sort, onSort, children }: SortHeadProps<S>) {
  const isSorted = sorts.includes(sort);
  const isDown = sort.startsWith("-");
  const next = isSorted ? (sorts.find((one) => one !== undefined && one !== sort) ?? sort) : sorts[0];
  return (
    <th className={className} aria-sort={isSorted ? (isDown ? "descending" : "ascending") : undefined}>
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {children}
        {isSorted && <Icon of={isDown ? ArrowDown : ArrowUp} size="sm" />}
      </button>
    </th>
  );
}
