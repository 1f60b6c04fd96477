import { Link } from "@tanstack/react-router";
import { SquareCheck } from "lucide-react";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import type { Subscriber } from "../../api/openapi.ts";
import { SortHead } from "../../kit/tables/sort-head.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { focusedRow, useRowKeys } from "../../shell/row-keys.ts";
import type { Column } from "./columns.tsx";
import type { Sort } from "./search.ts";
import type { Selection } from "./selection.ts";

type TableProps = {
  rows: readonly Subscriber[];
  columns: readonly Column[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selection: Selection;
};

export function SubscriberTable({ rows, columns, sort, onSort, selection }: TableProps) {
  const { t } = useTranslation();
  const body = useRowKeys();
  useRegisterActions([
    {
      id: "row-select",
      label: t("select.row"),
      icon: SquareCheck,
      keys: "x",
      run: (event) => {
        const row = rows[focusedRow(body.current)];
        if (row) selection.toggle(row.id, event?.shiftKey ?? false);
      },
    },
    {
      id: "page-select",
      label: t("select.page"),
      icon: SquareCheck,
      keys: "mod+a",
      run: selection.togglePage,
    },
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
            <th className="c-check">
              <PageBox rows={rows} selection={selection} />
            </th>
            {[address, ...columns].map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr key={row.id} className={selection.has(row.id) ? "sel" : undefined}>
              <td className="c-check">
                <label className="check-target">
                  <input
                    type="checkbox"
                    aria-label={t("select.one", { email: row.email })}
                    checked={selection.has(row.id)}
                    onChange={(event) =>
                      selection.toggle(row.id, (event.nativeEvent as MouseEvent).shiftKey === true)
                    }
                  />
                </label>
              </td>
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

/** It is ticked where the whole page is selected, and half ticked where a part of it is. */
function PageBox({ rows, selection }: Pick<TableProps, "rows" | "selection">) {
  const { t } = useTranslation();
  const selected = rows.filter(({ id }) => selection.has(id)).length;
  return (
    <label className="check-target">
      <input
        type="checkbox"
        aria-label={t("select.page")}
        checked={rows.length > 0 && selected === rows.length}
        ref={(box) => {
          if (box) box.indeterminate = selected > 0 && selected < rows.length;
        }}
        onChange={selection.togglePage}
      />
    </label>
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
  if (!sorts) return <th className={className}>{label}</th>;
  return (
    <SortHead className={className} sorts={sorts} sort={sort} onSort={onSort}>
      {label}
    </SortHead>
  );
}
