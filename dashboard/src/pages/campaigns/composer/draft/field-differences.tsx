/** Fields of two drafts beside each other. Of a long text only the lines that differ are shown. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { BlocksDocument } from "../../../../api/openapi.ts";
import { query } from "../../../../api/queries.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { ShownValue } from "../../../../kit/value.tsx";
import { blockLines } from "../blocks/block-lines.ts";
import type { Draft, DraftField } from "./draft.ts";
import { lineChanges } from "./line-changes.ts";

/** Whose it is, and those of its fields that are shown. */
type Side = { readonly label: string; readonly draft: Partial<Draft> };
type Props = { fields: readonly DraftField[]; one: Side; other: Side };

export function FieldDifferences({ fields, one, other }: Props) {
  const { t } = useTranslation();
  return (
    <div className="differences">
      {fields.map((field) => (
        <section key={field} className="stack tight">
          <h3 className="flabel">{t(`composer.fields.${field}`)}</h3>
          <div className="difference">
            <Cell label={one.label} field={field} value={one.draft[field]} against={other.draft[field]} />
            <Cell label={other.label} field={field} value={other.draft[field]} against={one.draft[field]} />
          </div>
        </section>
      ))}
    </div>
  );
}

type CellProps = { label: string; field: DraftField; value: unknown; against: unknown };

function Cell({ label, field, value, against }: CellProps) {
  return (
    <div className="well difference-cell">
      <span className="label">{label}</span>
      <FieldValue field={field} value={value} against={against} />
    </div>
  );
}

function FieldValue({ field, value, against }: Omit<CellProps, "label">) {
  const { t } = useTranslation();
  if (field === "html" || field === "mjml" || field === "text") {
    if (value === null) return <span className="sm dim">{t(`composer.differences.no.${field}`)}</span>;
    return <Lines text={String(value)} against={String(against ?? "")} />;
  }
  if (field === "blocks") {
    if (value === null) return <span className="sm dim">{t("composer.differences.no.blocks")}</span>;
    return <Lines text={textOf(value)} against={textOf(against)} />;
  }
  if (field === "list_id" || field === "segment_id" || field === "topic_id")
    return <NameOf field={field} id={value as string | null} />;
  if (field === "tracking" || field === "utm") return <Members value={value as object | null} />;
  if (field === "on_ambiguous")
    return <span className="sm">{t(`composer.options.${value as Draft["on_ambiguous"]}`)}</span>;
  return (
    <span className="sm break" dir="auto">
      <ShownValue value={value as string | boolean | null} />
    </span>
  );
}

const textOf = (blocks: unknown) => (blocks ? blockLines(blocks as BlocksDocument) : "");

function Lines({ text, against }: { text: string; against: string }) {
  const { t } = useTranslation();
  const { before, one, after } = lineChanges(text, against);
  const same = (count: number) =>
    count > 0 && (
      <span className="xs dim">{t("composer.differences.same", { count, number: formatNumber(count) })}</span>
    );
  return (
    <>
      {same(before)}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer must be able to scroll it. */}
      <pre className="code folded difference-lines" tabIndex={0} dir="auto">
        {one.join("\n")}
      </pre>
      {same(after)}
    </>
  );
}

function Members({ value }: { value: object | null }) {
  return (
    <span className="stack tight sm">
      {Object.entries(value ?? {}).map(([name, one]) => (
        <span key={name} className="break">
          <span className="dim">{name}</span> <ShownValue value={one as string | boolean | null} />
        </span>
      ))}
      {value === null && <ShownValue value={null} />}
    </span>
  );
}

function NameOf({ field, id }: { field: "list_id" | "segment_id" | "topic_id"; id: string | null }) {
  const path = { path: { id: id ?? "" } };
  const list = useQuery({
    ...query("GET /v1/lists/{id}", path),
    enabled: id !== null && field === "list_id",
  });
  const segment = useQuery({
    ...query("GET /v1/segments/{id}", path),
    enabled: id !== null && field === "segment_id",
  });
  const topic = useQuery({
    ...query("GET /v1/topics/{id}", path),
    enabled: id !== null && field === "topic_id",
  });
  return (
    <span className="sm break" dir="auto">
      <ShownValue value={id && (list.data?.name ?? segment.data?.name ?? topic.data?.name ?? id)} />
    </span>
  );
}
