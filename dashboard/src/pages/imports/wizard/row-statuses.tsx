import { useTranslation } from "react-i18next";
import { type Draft, ROW_STATUSES, type RowStatus } from "./draft.ts";
import type { StepProps } from "./step-props.ts";

type Part = Pick<StepProps, "draft" | "change">;

/** What the rows are: those who left elsewhere come in as having left, so that nobody is mailed against their wish. */
export function RowStatuses({ draft, change }: Part) {
  const { t } = useTranslation();
  const values = valuesIn(draft);
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("wizard.statuses.title")}</h2>
      </div>
      <p className="sm mid">{t("wizard.statuses.lead")}</p>
      <dl className="status-values">
        {values.map((value) => (
          <StatusValue key={value} value={value} draft={draft} change={change} />
        ))}
        <dt>{values.length > 0 ? t("wizard.statuses.others") : t("wizard.statuses.everybody")}</dt>
        <dd>
          <select
            className="input input-sm"
            aria-label={t("wizard.statuses.default")}
            value={draft.defaultStatus}
            onChange={(event) => change({ defaultStatus: event.target.value as RowStatus })}
          >
            <StatusOptions />
          </select>
        </dd>
      </dl>
    </section>
  );
}

/** The values that the column of the status has in the rows that were looked at. */
function valuesIn({ preview, choices }: Draft): readonly string[] {
  const at = preview?.columns.findIndex(({ name }) => choices[name] === "status") ?? -1;
  if (!preview || at < 0) return [];
  if (preview.columns[at]?.target === "status") return Object.keys(preview.status_values);
  const cells = (preview.rows ?? []).map((row) => (row[at] ?? "").trim());
  return [...new Set(cells.filter((cell) => cell !== ""))];
}

/** A value that nobody knows has to be chosen for; else its rows are left out with a fault. */
function StatusValue({ value, draft, change }: Part & { value: string }) {
  const { t } = useTranslation();
  const chosen: RowStatus | undefined = draft.statusValues[value];
  const choose = (next: string) =>
    change((before) => ({ ...before, statusValues: withStatus(before, value, next) }));
  return (
    <>
      <dt className="break">{value}</dt>
      <dd>
        <select
          className="input input-sm"
          aria-label={t("wizard.statuses.of", { value })}
          value={chosen ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          {chosen === undefined && <option value="">{t("wizard.statuses.unknown")}</option>}
          <StatusOptions />
        </select>
      </dd>
    </>
  );
}

function withStatus({ statusValues }: Draft, value: string, next: string): Draft["statusValues"] {
  const status = ROW_STATUSES.find((one) => one === next);
  return status ? { ...statusValues, [value]: status } : statusValues;
}

function StatusOptions() {
  const { t } = useTranslation();
  return ROW_STATUSES.map((status) => (
    <option key={status} value={status}>
      {t(`wizard.statuses.names.${status}`)}
    </option>
  ));
}
