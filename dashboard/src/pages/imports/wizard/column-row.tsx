import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ImportPreview } from "../../../api/openapi.ts";
import { useFields } from "../../subscribers/reference-data.ts";
import { type Choice, type Draft, type NewField, newFieldsOf } from "./draft.ts";
import { NewFieldDialog } from "./new-field-dialog.tsx";
import { keyFor, optionOf, SUPPRESSION_TARGETS, TARGET_GROUPS } from "./targets.ts";

type Column = ImportPreview["columns"][number];

type ColumnRowProps = {
  column: Column;
  samples: readonly string[];
  draft: Draft;
  /** Another column becomes the same. */
  isTwin: boolean;
  onChoose: (choice: Choice) => void;
};

export function ColumnRow({ column, samples, draft, isTwin, onChoose }: ColumnRowProps) {
  const { t } = useTranslation();
  const fields = useFields();
  const [editing, setEditing] = useState<NewField>();
  const choice = draft.choices[column.name];
  const value = optionOf(choice);

  const suggestion = (): NewField => {
    const taken = [...fields, ...newFieldsOf(draft)].map(({ key }) => key);
    const suggested = column.field ?? { key: "", name: column.name, type: "text" as const };
    return { ...suggested, key: keyFor(suggested.key || suggested.name, taken) };
  };
  const choose = (next: string) => onChoose(next === "new" ? { make: suggestion() } : next);
  const making = typeof choice === "object" ? choice.make : undefined;
  return (
    <tr className={value === "ignore" ? "left-out" : ""}>
      <th scope="row" className="med break" dir="auto">
        {column.name}
      </th>
      <td>
        <div className="samples">
          {samples.map((sample) => (
            <span key={sample} title={sample}>
              {sample}
            </span>
          ))}
          {samples.length === 0 && <span className="dim none">{t("wizard.columns.empty")}</span>}
        </div>
      </td>
      <td>
        <div className="row wrap">
          <select
            className="input input-sm mapping-choice"
            aria-label={t("wizard.columns.becomesOf", { column: column.name })}
            aria-invalid={isTwin || undefined}
            value={value}
            onChange={(event) => choose(event.target.value)}
          >
            <TargetOptions target={draft.target} />
          </select>
          <Mark column={column} value={value} />
        </div>
        <div className="xs dim mapping-note">
          {isTwin ? (
            <span className="c-danger">{t("wizard.columns.twin")}</span>
          ) : making ? (
            <>
              {t("wizard.columns.newField", { name: making.name, type: t(`fields.types.${making.type}`) })}{" "}
              <button type="button" className="text-button xs" onClick={() => setEditing(making)}>
                {t("wizard.change")}
              </button>
            </>
          ) : (
            <Why column={column} value={value} />
          )}
        </div>
        {editing && (
          <NewFieldDialog
            field={editing}
            onSave={(make) => onChoose({ make })}
            onClose={() => setEditing(undefined)}
          />
        )}
      </td>
    </tr>
  );
}

function TargetOptions({ target }: { target: Draft["target"] }) {
  const { t } = useTranslation();
  const fields = useFields();
  const leaveOut = <option value="ignore">{t("wizard.columns.leaveOut")}</option>;
  if (target === "suppressions") {
    return (
      <>
        {SUPPRESSION_TARGETS.map((one) => (
          <option key={one} value={one}>
            {t(`wizard.targets.${one}`)}
          </option>
        ))}
        {leaveOut}
      </>
    );
  }
  return (
    <>
      {leaveOut}
      {(["person", "joining", "state", "data"] as const).map((group) => (
        <optgroup key={group} label={t(`wizard.groups.${group}`)}>
          {TARGET_GROUPS[group].map((one) => (
            <option key={one} value={one}>
              {t(`wizard.targets.${one}`)}
            </option>
          ))}
        </optgroup>
      ))}
      <optgroup label={t("nav.fields")}>
        {fields.map(({ key, name }) => (
          <option key={key} value={`fields.${key}`}>
            {name}
          </option>
        ))}
        <option value="new">{t("wizard.columns.newFieldOption")}</option>
      </optgroup>
    </>
  );
}

/** A heading says what it means, and addresses can't be mistaken; what was taken from other contents is said to be a guess. */
function Mark({ column, value }: { column: Column; value: string }) {
  const { t } = useTranslation();
  if (value === "new") return <span className="badge accent">{t("wizard.columns.newMark")}</span>;
  const isGuess = value !== "email" && value === column.target && column.guessed_from === "content";
  return isGuess ? <span className="badge info">{t("wizard.columns.guess")}</span> : null;
}

function Why({ column, value }: { column: Column; value: string }) {
  const { t } = useTranslation();
  if (value === "full_name") return t("wizard.columns.split");
  if (value === "ignore" || value !== column.target) return null;
  return t(`wizard.columns.from.${column.guessed_from}`);
}
