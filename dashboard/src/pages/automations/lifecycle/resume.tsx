/** What becomes of steps that fell due while the automation was paused. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApiError } from "../../../api/problem.ts";
import { TextField } from "../../../kit/forms/field.tsx";
import { RadioGroup } from "../../../kit/forms/radio-group.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { useEditing } from "../editor/editing.ts";
import { sayStep } from "../graph/describe.ts";
import { listIn, textIn } from "../graph/draft.ts";

export type Overdue = { readonly node: string; readonly people: number };

/** Reads a refusal for steps that are overdue; undefined where it is another one. */
export function overdueOf(error: ApiError): readonly Overdue[] | undefined {
  if (error.code !== "overdue_steps") return undefined;
  return listIn(error.members["nodes"]).map(({ node, people }) => ({
    node: textIn(node),
    people: Number(people),
  }));
}

const CHOICES = ["run", "spread", "skip"] as const;
const USUAL_MINUTES = 60;

type Props = {
  overdue: readonly Overdue[];
  resume: (body: { overdue: (typeof CHOICES)[number]; spread_minutes?: number }) => Promise<void>;
  onClose: () => void;
};

export function Resume({ overdue, resume, onClose }: Props) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const [minutes, setMinutes] = useState(String(USUAL_MINUTES));
  return (
    <FormDialog
      title={t("lifecycle.resume.title")}
      action={t("lifecycle.resume.confirm")}
      onClose={onClose}
      submit={async (values) => {
        const choice = CHOICES.find((one) => one === values.text("overdue")) ?? "spread";
        await resume({ overdue: choice, ...(choice === "spread" && { spread_minutes: Number(minutes) }) });
        onClose();
      }}
    >
      <ul className="stack tight">
        {overdue.map(({ node, people }) => (
          <li key={node}>
            {t("lifecycle.resume.people", {
              count: people,
              number: say.formatNumber(people),
              step: sayStep(graph, node, say),
            })}
          </li>
        ))}
      </ul>
      <RadioGroup
        name="overdue"
        legend={t("lifecycle.resume.choice")}
        defaultValue="spread"
        choices={CHOICES.map((value) => ({
          value,
          label: t(`lifecycle.resume.${value}`),
          hint: t(`lifecycle.resume.${value}Hint`),
        }))}
      />
      <TextField
        name="spread_minutes"
        label={t("lifecycle.resume.minutes")}
        inputMode="numeric"
        value={minutes}
        onChange={({ target }) => setMinutes(target.value)}
      />
    </FormDialog>
  );
}
