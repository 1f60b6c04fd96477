/** A mail in the outline: its subject, and the way to where it is written. */
import { Link } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { useEditing } from "../editor/editing.ts";
import { useTemplates } from "../editor/use-names.ts";
import { textIn } from "../graph/draft.ts";
import type { PartProps } from "./step-props.ts";

export function EmailFields({ part: { value, set, faultOf, name }, id }: { part: PartProps; id: string }) {
  const { t } = useTranslation();
  const { automationId, isLocked } = useEditing();
  const templates = useTemplates();
  const templateId = textIn(value["template_id"]);
  const kind = (["blocks", "mjml", "html"] as const).find(
    (one) => value[one] !== undefined && value[one] !== null,
  );
  const isGone = templateId !== "" && !templates.some((one) => one.id === templateId);
  return (
    <>
      <TextField
        name={`${name}-subject`}
        label={t("step.fields.subject")}
        hint={t("step.fields.subjectHint", { example: "{{ first_name }}" })}
        value={textIn(value["subject"])}
        fault={faultOf("subject")}
        maxLength={250}
        autoComplete="off"
        onChange={({ target }) => set({ subject: target.value }, "subject")}
      />
      {(templates.length > 0 || templateId !== "") && (
        <SelectField
          name={`${name}-template`}
          label={t("step.fields.content")}
          value={templateId}
          fault={faultOf("template_id")}
          options={[
            { value: "", label: t("step.fields.noTemplate") },
            ...(isGone ? [{ value: templateId, label: t("step.fields.goneTemplate") }] : []),
            ...templates.map((one) => ({
              value: one.id,
              label: t("step.fields.fromTemplate", { name: one.name }),
            })),
          ]}
          onChange={({ target }) =>
            set(
              target.value === ""
                ? { template_id: undefined }
                : { template_id: target.value, html: undefined, mjml: undefined, blocks: undefined },
            )
          }
        />
      )}
      {templateId === "" && (
        <div className="row wrap">
          <Link
            className="btn"
            to="/automations/$id/mail/$step"
            params={{ id: automationId, step: id }}
            disabled={isLocked}
          >
            <Icon of={Pencil} />
            {t("step.fields.write")}
          </Link>
          <span className="sm mid">{kind ? t(`step.fields.written.${kind}`) : t("step.fields.nothing")}</span>
        </div>
      )}
    </>
  );
}
