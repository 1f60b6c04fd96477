/** The rows of an import, as a bar and a sum that adds up: new, updated, left as they were, with a fault, still to come. */
import { useTranslation } from "react-i18next";
import type { Import } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";

const PARTS = [
  { name: "created", look: "sent", colour: "var(--ledger-sent)" },
  { name: "updated", look: "changed", colour: "var(--info)" },
  { name: "skipped", look: "", colour: "var(--ledger-queued)" },
  { name: "failed", look: "failed", colour: "var(--ledger-failed)" },
] as const;

function partsOf({ counts, options, status }: Pick<Import, "counts" | "options" | "status">) {
  const { total, processed } = counts;
  const rest = {
    name: "rest",
    look: "skipped",
    colour: "",
    count: (total ?? processed) - processed,
  } as const;
  const parts = PARTS.filter(({ name }) => name !== "updated" || options.on_conflict === "update");
  return [
    ...parts.map((part) => ({ ...part, count: counts[part.name] })),
    ...(status === "completed" || rest.count === 0 ? [] : [rest]),
  ];
}

export function ImportTally({ of: one, isSmall = false }: { of: Import; isSmall?: boolean }) {
  const { t } = useTranslation();
  const shown = partsOf(one).filter(({ count }) => count > 0);
  const label = shown
    .map(({ name, count }) => `${formatNumber(count)} ${t(`imports.parts.${name}`)}`)
    .join(", ");
  return (
    <div
      className={isSmall ? "tally tally-sm" : "tally tally-lg"}
      role="img"
      aria-label={label || t("imports.nothingYet")}
    >
      {shown.length === 0 && <i className="grow" />}
      {shown.map(({ name, look, count }) => (
        <i key={name} className={look} style={{ flex: `${count} 1 0` }} />
      ))}
    </div>
  );
}

export function ImportSum({ of: one }: { of: Import }) {
  const { t } = useTranslation();
  const { total, processed } = one.counts;
  const rows = total ?? processed;
  return (
    <div className="sum">
      <span>
        <b>{formatNumber(rows)}</b> {t("imports.rows", { count: rows })}
      </span>
      {partsOf(one).map(({ name, colour, count }, at) => (
        <span
          key={name}
          className={name === "rest" ? "key hatch" : "key"}
          style={{ "--k": colour } as React.CSSProperties}
        >
          <span className="op">{at === 0 ? "=" : "+"}</span>
          <b>{formatNumber(count)}</b> {t(`imports.parts.${name}`)}
        </span>
      ))}
    </div>
  );
}
