/** Everything about a form that can be changed. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Form } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../kit/forms/field.tsx";
import { AskedFields } from "./asked-fields.tsx";

const LOCALES = ["en", "de", "fr"] as const;
const CHECKS = ["report", "skip_bad", "off"] as const;
const MOST_TOPICS = 200;

export function FormFields({ form, onAsked }: { form: Form; onAsked: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="name"
        label={t("forms.name")}
        hint={t("forms.nameHint")}
        maxLength={200}
        autoComplete="off"
        defaultValue={form.name}
      />
      <Checkbox
        name="is_open"
        label={t("forms.one.isOpen")}
        hint={t("forms.one.isOpenHint")}
        defaultChecked={form.status === "active"}
      />
      <Checkbox
        name="double_opt_in"
        label={t("forms.one.doubleOptIn")}
        hint={t("forms.one.doubleOptInHint")}
        defaultChecked={form.double_opt_in}
      />
      <SelectField
        name="checks"
        label={t("forms.one.checks.label")}
        hint={t("forms.one.checks.hint")}
        defaultValue={form.checks}
        options={CHECKS.map((one) => ({ value: one, label: t(`forms.one.checks.${one}`) }))}
      />
      <AskedFields fields={form.fields} onChange={onAsked} />
      <Texts form={form} />
      <Afterwards form={form} />
    </>
  );
}

function Texts({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { texts } = form;
  const of = (name: keyof Form["texts"]) => ({
    name: `texts.${name}`,
    label: t(`forms.one.texts.${name}`),
    optional: true,
    defaultValue: texts[name] ?? "",
  });
  const locales = LOCALES.map((one) => ({ value: one as string, label: t(`forms.one.locales.${one}`) }));
  const other = locales.some(({ value }) => value === form.locale) ? null : form.locale;
  return (
    <fieldset className="stack-4">
      <legend className="label">{t("forms.one.words")}</legend>
      <p className="xs dim">{t("forms.one.wordsHint")}</p>
      <SelectField
        name="locale"
        label={t("forms.one.locale")}
        defaultValue={form.locale ?? ""}
        options={[
          { value: "", label: t("forms.one.anyLocale") },
          ...locales,
          ...(other ? [{ value: other, label: other }] : []),
        ]}
      />
      <TextField {...of("title")} maxLength={200} />
      <TextArea {...of("intro")} maxLength={1_000} />
      <TextArea {...of("consent")} hint={t("forms.one.consentHint")} maxLength={1_000} />
      <TextArea {...of("tracking")} hint={t("forms.one.trackingHint")} maxLength={1_000} />
      <TextField {...of("button")} maxLength={100} />
      <TextArea {...of("note")} maxLength={1_000} />
      <TextField {...of("privacy_url")} type="url" maxLength={2_000} />
      <TextField {...of("done_title")} maxLength={200} />
      <TextArea {...of("done_text")} hint={t("forms.one.thanksHint")} maxLength={1_000} />
    </fieldset>
  );
}

function Afterwards({ form }: { form: Form }) {
  const { t } = useTranslation();
  const topics = useQuery(query("GET /v1/topics", { query: { limit: MOST_TOPICS } }));
  return (
    <fieldset className="stack-4">
      <legend className="label">{t("forms.one.after")}</legend>
      <TextField
        name="redirect_url"
        label={t("forms.one.redirect")}
        hint={t("forms.one.redirectHint")}
        type="url"
        optional
        maxLength={2_000}
        defaultValue={form.redirect_url ?? ""}
      />
      <TextField
        name="tags"
        label={t("forms.one.tags")}
        hint={t("forms.one.tagsHint")}
        optional
        autoComplete="off"
        defaultValue={form.tags.join(", ")}
      />
      {topics.data
        ? topics.data.data.length > 0 && (
            <fieldset className="stack tight">
              <legend className="flabel">{t("forms.one.topics")}</legend>
              {topics.data.data.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  name="topic_ids"
                  value={id}
                  label={name}
                  defaultChecked={form.topic_ids.includes(id)}
                />
              ))}
            </fieldset>
          )
        : // What isn't read yet must not be taken for what somebody switched off.
          form.topic_ids.map((id) => <input key={id} type="hidden" name="topic_ids" value={id} />)}
    </fieldset>
  );
}
