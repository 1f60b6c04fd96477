/** What each column of the file becomes: the guesses first, and a choice for each. */
import { ArrowLeft, ArrowRight, Sparkles, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ImportPreview } from "../../../api/openapi.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { AttributeChoices } from "./attribute-choices.tsx";
import { ColumnRow } from "./column-row.tsx";
import { type Choice, newFieldsOf } from "./draft.ts";
import { RowOptions } from "./row-options.tsx";
import { RowStatuses } from "./row-statuses.tsx";
import type { StepProps } from "./step-props.ts";
import { twinsIn } from "./targets.ts";

export function ColumnsStep({ draft, change, go }: StepProps) {
  const { t } = useTranslation();
  const [isTried, setTried] = useState(false);
  const { preview, choices, target } = draft;
  if (!preview) return null;
  const twins = twinsIn(draft);
  const hasKey = Object.values(choices).some((choice) => choice === "email" || choice === "contact_id");
  const made = newFieldsOf(draft).length;
  const lacks = !hasKey ? "email" : twins.length > 0 ? "twins" : undefined;
  const choose = (column: string, choice: Choice) =>
    change((before) => ({ ...before, choices: { ...before.choices, [column]: choice } }));
  const next = () => {
    setTried(true);
    if (!lacks) go("try");
  };
  return (
    <>
      <div className="body stack-6 wizard-columns">
        <Recognised preview={preview} />
        <Warnings preview={preview} />
        <table className="mapping">
          <thead>
            <tr>
              <th>{t("imports.inFile")}</th>
              <th>{t("wizard.columns.example")}</th>
              <th>{t("wizard.columns.becomes")}</th>
            </tr>
          </thead>
          <tbody>
            {preview.columns.map((column, at) => (
              <ColumnRow
                key={column.name}
                column={column}
                samples={samplesOf(preview, at)}
                draft={draft}
                isTwin={twins.includes(column.name)}
                onChoose={(choice) => choose(column.name, choice)}
              />
            ))}
          </tbody>
        </table>
        <AttributeChoices draft={draft} change={change} />
        {target === "subscribers" && <RowStatuses draft={draft} change={change} />}
        <RowOptions draft={draft} change={change} />
        {isTried && lacks && (
          <p className="err-line" role="alert">
            {t(`wizard.lacks.${lacks}`)}
          </p>
        )}
      </div>
      <footer className="wizard-foot">
        <Button kind="quiet" icon={ArrowLeft} onClick={() => go("file")}>
          {t("wizard.back")}
        </Button>
        <span className="sm dim hide-s">
          {made > 0 ? t("wizard.columns.makes", { count: made }) : t("wizard.columns.nothingChanged")}
        </span>
        <span className="grow" />
        <Button kind="primary" icon={ArrowRight} onClick={next}>
          {t("wizard.columns.next")}
        </Button>
      </footer>
    </>
  );
}

function Recognised({ preview: { preset } }: { preview: ImportPreview }) {
  const { t } = useTranslation();
  if (!preset) return null;
  return (
    <div className="note info">
      <Icon of={Sparkles} />
      <span>
        <b>{t("wizard.columns.preset", { name: preset.name })}</b> {t("wizard.columns.presetMore")}
      </span>
    </div>
  );
}

/** What the page says in its own place is left out here. */
const SAID_ELSEWHERE = ["no_email_column", "unknown_status"];

function Warnings({ preview }: { preview: ImportPreview }) {
  return preview.warnings
    .filter(({ code }) => !SAID_ELSEWHERE.includes(code))
    .map(({ code, column, detail }) => (
      <div key={code + column} className="note warn">
        <Icon of={TriangleAlert} />
        <span className="break">
          {column && <b>{column}: </b>}
          {sentence(detail)}
        </span>
      </div>
    ));
}

const MOST_SAMPLES = 3;

/** The first values of a column that differ. */
function samplesOf({ rows }: ImportPreview, at: number): readonly string[] {
  const filled = (rows ?? []).map((cells) => (cells[at] ?? "").trim()).filter((cell) => cell !== "");
  return [...new Set(filled)].slice(0, MOST_SAMPLES);
}
