/** The variables that a subject may name, with what they are called here. */
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFields } from "../../../subscribers/reference-data.ts";
import type { ChipWords } from "./chips.ts";

export type Variable = { readonly name: string; readonly label: string };

const PLAIN = ["first_name", "last_name", "email"] as const;

export function useSubjectVariables(): readonly Variable[] {
  const { t } = useTranslation();
  const fields = useFields();
  return [
    ...PLAIN.map((name) => ({ name, label: t(`composer.chips.${name}`) })),
    ...fields.map(({ key, name }) => ({ name: `fields.${key}`, label: name })),
  ];
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
