/** The variables of a template in few words, and those that the mail reads and that aren't declared. */
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { Group } from "../../campaigns/composer/group.tsx";
import type { Undeclared } from "../preview/use-rendering.ts";
import { offered, withVariable } from "./offered.ts";
import type { Variable } from "./typed-value.ts";

type Change = (patch: { variables: readonly Variable[] }) => void;
type Props = {
  variables: readonly Variable[];
  undeclared: readonly Undeclared[];
  change: Change;
  onEdit: () => void;
};

export function VariablesSummary({ variables, undeclared, change, onEdit }: Props) {
  const { t } = useTranslation();
  return (
    <Group
      title={t("templates.variables.title")}
      end={
        <button type="button" className="text-button" onClick={onEdit}>
          {t("templates.variables.edit")}
        </button>
      }
    >
      {variables.length === 0 && <p className="sm dim">{t("templates.variables.none")}</p>}
      {variables.length > 0 && (
        <ul className="variable-list sm">
          {variables.map(({ name, type, required }) => (
            <li key={name} className="row between">
              <span className="mono break">{name}</span>
              <span className="xs dim nowrap">
                {t(`templates.variables.types.${type}`)}
                {required && ` · ${t("templates.variables.required")}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <OfferedNames variables={variables} undeclared={undeclared} change={change} />
    </Group>
  );
}

/** One press declares a name that the mail reads. */
export function OfferedNames({ variables, undeclared, change }: Omit<Props, "onEdit">) {
  const { t } = useTranslation();
  const names = offered(variables, undeclared);
  if (names.length === 0) return null;
  return (
    <div className="note warn variable-offers">
      <div className="stack tight">
        <p className="sm">{t("templates.variables.offered")}</p>
        <div className="row wrap">
          {names.map((name) => (
            <Button
              key={name}
              size="sm"
              icon={Plus}
              onClick={() => change({ variables: withVariable(variables, name, undeclared) })}
            >
              <span className="break">{t("templates.variables.declare", { name })}</span>
            </Button>
          ))}
        </div>
      </div>
    </div>
  );
}
