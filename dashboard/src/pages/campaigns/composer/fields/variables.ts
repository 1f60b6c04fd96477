/** The variables that a subject may name, with what they are called here. */
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { MergeNames } from "../editor/use-variables.ts";
import type { ChipWords } from "./chips.ts";

export type Variable = { readonly name: string; readonly label: string; readonly value: string | null };

const PLAIN = ["first_name", "last_name", "email"] as const;

/** Lists and addresses of pages say nothing in one line of text. */
const isOfLine = ({ type }: MergeNames["variables"][number]) => type !== "list" && type !== "url";

export function useSubjectVariables(names: MergeNames | undefined): readonly Variable[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const labelOf = (name: string, label: string | null) => {
      const plain = PLAIN.find((one) => one === name);
      return plain ? t(`composer.chips.${plain}`) : (label ?? name);
    };
    return (names?.variables ?? [])
      .filter(isOfLine)
      .map(({ name, label, value }) => ({ name, value, label: labelOf(name, label) }));
  }, [names, t]);
}

export function useChipWords(variables: readonly Variable[]): ChipWords {
  const { t } = useTranslation();
  const names = JSON.stringify(variables.map(({ name, label }) => [name, label]));
  return useMemo(() => {
    const labels = new Map<string, string>(JSON.parse(names));
    return {
      // `subscriber.first_name` and `first_name` are the same.
      nameOf: (variable) => labels.get(variable.replace(/^subscriber\./, "")) ?? variable,
      prefix: t("composer.chips.prefix"),
      orElse: (text) => t("composer.chips.orElse", { text }),
    };
  }, [names, t]);
}
