import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type CSSProperties, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Subscriber } from "../../api/openapi.ts";
import { Icon } from "../../kit/icon.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import type { Column } from "./columns.tsx";
import type { Sort } from "./search.ts";

type TableProps = {
  rows: readonly Subscriber[];
  columns: readonly Column[];
  sort: Sort;
  onSort: (sort: Sort) => void;
};

export function SubscriberTable({ rows, columns, sort, onSort }: TableProps) {
  const { t } = useTranslation();
  const body = useRef<HTMLTableSectionElement>(null);
  useRegisterActions([
    { id: "row-next", label: t("table.nextRow"), keys: "j", run: () => moveFocus(body.current, 1) },
    { id: "row-before", label: t("table.rowBefore"), keys: "k", run: () => moveFocus(body.current, -1) },
  ]);
  const address: Column = {
    id: "email",
    label: t("subscribers.address"),
    className: "c-main",
    sorts: ["email"],
    cell: (row) => <Address row={row} />,
  };
  return (
    <div className="tw">
      <table className="people table-edge" style={{ "--columns": columns.length } as CSSProperties}>
        <thead>
          <tr>
            {[address, ...columns].map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr key={row.id}>
              {[address, ...columns].map(({ id, className, cell }) => (
                <td key={id} className={className}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Address({ row }: { row: Subscriber }) {
  const name = [row.first_name, row.last_name].filter(Boolean).join(" ");
  return (
    <div className="who">
      <Link to="/subscribers/$id" params={{ id: row.id }} className="med trunc" data-row>
        {row.email}
      </Link>
      {name && (
        <span className="dim trunc" dir="auto">
          {name}
        </span>
      )}
    </div>
  );
}

/** A head is a button only where the API sorts by it. */
function HeadCell({ column, sort, onSort }: { column: Column; sort: Sort; onSort: (sort: Sort) => void }) {
  const { label, className, sorts } = column;
  const isSorted = sorts?.includes(sort) ?? false;
  const isDown = sort.startsWith("-");
  if (!sorts) return <th className={className}>{label}</th>;
  const next = isSorted ? (sorts.find((one) => one !== undefined && one !== sort) ?? sort) : sorts[0];
  return (
    <th className={className} aria-sort={isSorted ? (isDown ? "descending" : "ascending") : undefined}>
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {label}
        {isSorted && <Icon of={isDown ? ArrowDown : ArrowUp} size="sm" />}
      </button>
    </th>
  );
}

function moveFocus(body: HTMLElement | null, step: number): void {
  const links = [...(body?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[next]?.focus();
}
