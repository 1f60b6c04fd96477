/** What the fields that a form may ask for are called. */
import { useTranslation } from "react-i18next";
import { useFields } from "../subscribers/reference-data.ts";

const OWN = ["email", "first_name", "last_name"] as const;
const CUSTOM = "fields.";

/** The name of a field as people know it, by its name in the API. */
export function useFieldName(): (name: string) => string {
  const { t } = useTranslation();
  const fields = useFields();
  return (name) => {
    const own = OWN.find((one) => one === name);
    if (own) return t(`forms.asked.${own}`);
    const key = name.slice(CUSTOM.length);
    return fields.find((field) => field.key === key)?.name ?? key;
  };
}

/** The names of all fields that can be asked for. */
export function useFieldChoices(): readonly string[] {
  return [...OWN, ...useFields().map(({ key }) => `${CUSTOM}${key}`)];
}
