import { useTranslation } from "react-i18next";
import { Checkbox } from "../../../kit/forms/field.tsx";
import type { StepProps } from "./step-props.ts";

/** A column of JSON holds many things: those that have a field are filled, and for the others one can be made. */
export function AttributeChoices({ draft, change }: Pick<StepProps, "draft" | "change">) {
  const { t } = useTranslation();
  const members = draft.preview?.attributes ?? [];
  if (members.length === 0 || !Object.values(draft.choices).includes("attributes")) return null;
  const toggle = (key: string, isOn: boolean) =>
    change((before) => ({
      ...before,
      attributes: isOn ? [...before.attributes, key] : before.attributes.filter((one) => one !== key),
    }));
  return (
    <fieldset className="stack">
      <legend className="flabel">{t("wizard.attributes.legend")}</legend>
      {members.map(({ path, field, exists }) => (
        <Checkbox
          key={path}
          label={path}
          hint={
            exists
              ? t("wizard.attributes.exists", { name: field.name })
              : t("wizard.attributes.make", { name: field.name, type: t(`fields.types.${field.type}`) })
          }
          checked={exists || draft.attributes.includes(field.key)}
          disabled={exists}
          onChange={({ target }) => toggle(field.key, target.checked)}
        />
      ))}
    </fieldset>
  );
}
