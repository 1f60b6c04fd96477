import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Checkbox, SelectField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { DELIMITERS, delimiterName } from "../delimiters.ts";
import { type Draft, type Format, withPreview } from "./draft.ts";
import { lookAt } from "./send-file.ts";
import type { StepProps } from "./step-props.ts";

const ENCODINGS: readonly NonNullable<Format["encoding"]>[] = [
  "utf-8",
  "windows-1252",
  "utf-16le",
  "utf-16be",
];

type Part = Pick<StepProps, "draft" | "change">;

/** How the file was read, and the way to say that it is made differently. */
export function FormatLine({ draft, change }: Part) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (!draft.preview) return null;
  const { delimiter, encoding, has_header } = draft.preview.format;
  const header = has_header ? t("wizard.format.header") : t("wizard.format.noHeader");
  return (
    <>
      <span>
        {t("wizard.format.read", {
          delimiter: t(`imports.delimiters.${delimiterName(delimiter)}`),
          encoding: encoding.toUpperCase(),
          header,
        })}
      </span>
      <button type="button" className="text-button" onClick={() => setOpen(true)}>
        {t("wizard.change")}
      </button>
      {isOpen && <FormatDialog draft={draft} change={change} onClose={() => setOpen(false)} />}
    </>
  );
}

function FormatDialog({ draft, change, onClose }: Part & { onClose: () => void }) {
  const { t } = useTranslation();
  const found = draft.preview?.format;
  return (
    <FormDialog
      title={t("wizard.format.title")}
      action={t("wizard.format.action")}
      onClose={onClose}
      submit={async (values) => {
        const format: Format = {
          has_header: values.isChecked("has_header"),
          delimiter: DELIMITERS.find((one) => delimiterName(one) === values.text("delimiter")) ?? ",",
          encoding: ENCODINGS.find((one) => one === values.text("encoding")) ?? "utf-8",
        };
        const preview = await lookAt(draft, format, t("wizard.pastedName"));
        change((before: Draft) => withPreview({ ...before, format }, preview));
        onClose();
      }}
    >
      <SelectField
        name="delimiter"
        label={t("wizard.format.delimiter")}
        defaultValue={delimiterName(found?.delimiter ?? ",")}
        options={DELIMITERS.map((one) => ({
          value: delimiterName(one),
          label: t(`imports.delimiters.${delimiterName(one)}`),
        }))}
      />
      <SelectField
        name="encoding"
        label={t("wizard.format.encoding")}
        defaultValue={found?.encoding}
        options={ENCODINGS.map((value) => ({ value, label: value.toUpperCase() }))}
      />
      <Checkbox name="has_header" label={t("wizard.format.hasHeader")} defaultChecked={found?.has_header} />
    </FormDialog>
  );
}
