/** The keys of a table: `j` and `k` go from row to row, by the link that opens each, which `data-row` marks. */
import { type RefObject, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useRegisterActions } from "./actions.ts";

type Body = RefObject<HTMLTableSectionElement | null>;

export function useRowKeys(): Body {
  const { t } = useTranslation();
  const body = useRef<HTMLTableSectionElement>(null);
  useRegisterActions([
    { id: "row-next", label: t("table.nextRow"), keys: "j", run: () => moveFocus(body.current, 1) },
    { id: "row-before", label: t("table.rowBefore"), keys: "k", run: () => moveFocus(body.current, -1) },
  ]);
  return body;
}

/** The place of the row that has the focus; -1 where none has. */
export function focusedRow(body: HTMLElement | null): number {
  const rows = [...(body?.querySelectorAll("tr") ?? [])];
  return rows.findIndex((row) => row.contains(document.activeElement));
}

function moveFocus(body: HTMLElement | null, step: number): void {
  const links = [...(body?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  links[next]?.focus();
}
