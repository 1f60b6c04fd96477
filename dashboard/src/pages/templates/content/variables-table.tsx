/** The variables that a template declares, each with its type, its sample and its default. */
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { Undeclared } from "../preview/use-rendering.ts";
import { withVariable } from "./offered.ts";
import type { Variable } from "./typed-value.ts";
import { VariableRow } from "./variable-row.tsx";
import { OfferedNames } from "./variables-summary.tsx";

type Props = {
  variables: readonly Variable[];
  /** What is wrong with one or with a value for it, by `name` or `number.field`. */
  faults: Readonly<Record<string, string>>;
  undeclared: readonly Undeclared[];
  isLocked: boolean;
  change: (patch: { variables: readonly Variable[] }) => void;
};

const HEADS = ["name", "type", "required", "sample", "default"] as const;

export function VariablesTable({ variables, faults, undeclared, isLocked, change }: Props) {
  const { t } = useTranslation();
  const replace = (nth: number, next: Variable) =>
    change({ variables: variables.map((one, index) => (index === nth ? next : one)) });
  const remove = (nth: number) => {
    change({ variables: variables.filter((_, index) => index !== nth) });
    notify(t("templates.variables.removed", { name: variables[nth]?.name ?? "" }), {
      label: t("do.undo"),
      run: () => change({ variables }),
    });
  };
  return (
    <fieldset className="variables-pane" disabled={isLocked} aria-label={t("templates.variables.title")}>
      <p className="sm mid">
        {t("templates.variables.lead", { example: "{{ order_number }}" })}{" "}
        {t("templates.variables.sampleHint")}
      </p>
      <OfferedNames variables={variables} undeclared={undeclared} change={change} />
      {variables.length === 0 ? (
        <p className="sm dim">{t("templates.variables.none")}</p>
      ) : (
        <table className="variables-table">
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head}>{t(`templates.variables.${head}`)}</th>
              ))}
              <th>
                <span className="sr">{t("do.more")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {variables.map((variable, nth) => (
              <VariableRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed, and the place stays.
                key={nth}
                nth={nth}
                variable={variable}
                faults={faults}
                onChange={(next) => replace(nth, next)}
                onRemove={() => remove(nth)}
              />
            ))}
          </tbody>
        </table>
      )}
      <AddVariable onAdd={(name) => change({ variables: withVariable(variables, name, undeclared) })} />
    </fieldset>
  );
}

function AddVariable({ onAdd }: { onAdd: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const add = () => {
    if (name.trim() === "") return;
    onAdd(name.trim());
    setName("");
  };
  return (
    <form
      className="row wrap"
      aria-label={t("templates.variables.add")}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        className="input mono variable-new"
        aria-label={t("templates.variables.addName")}
        placeholder={t("templates.variables.addHint")}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" icon={Plus}>
        {t("templates.variables.addAction")}
      </Button>
    </form>
  );
}
