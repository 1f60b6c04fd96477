/** Steps that do something at once: goals, tags, fields, lists, webhooks and notes to colleagues. */
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";
import { Checkbox, SelectField, TextArea, TextField } from "../../../kit/forms/field.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { useFields, useLists } from "../../subscribers/reference-data.ts";
import { textIn } from "../graph/draft.ts";
import { FieldChoice, NumberField, TagsField } from "./small-fields.tsx";
import type { PartProps } from "./step-props.ts";

const WebhookSecret = lazyPart(() => import("./webhook-secret.tsx"));

export function GoalFields({ part: { value, set, faultOf, name } }: { part: PartProps }) {
  const { t } = useTranslation();
  return (
    <TextField
      name={`${name}-goal`}
      label={t("step.fields.goal")}
      value={textIn(value["name"])}
      fault={faultOf("name")}
      maxLength={100}
      autoComplete="off"
      onChange={({ target }) => set({ name: target.value }, "name")}
    />
  );
}

export function TagStepFields({ part: { value, set, faultOf } }: { part: PartProps }) {
  const { t } = useTranslation();
  return (
    <>
      <TagsField
        label={t("step.fields.add")}
        value={value["add"]}
        fault={faultOf("add")}
        onChange={(add) => set({ add })}
      />
      <TagsField
        label={t("step.fields.remove")}
        value={value["remove"]}
        fault={faultOf("remove")}
        onChange={(remove) => set({ remove })}
      />
    </>
  );
}

export function FieldStepFields({ part }: { part: PartProps }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  const fields = useFields();
  const field = textIn(value["field"]);
  const type = fields.find(({ key }) => `fields.${key}` === field)?.type ?? "text";
  return (
    <>
      <FieldChoice
        name={`${name}-field`}
        label={t("step.fields.field")}
        value={field}
        fault={faultOf("field")}
        onChange={(next) => {
          const chosen = fields.find(({ key }) => `fields.${key}` === next)?.type ?? "text";
          set({
            field: next,
            value: chosen === type ? value["value"] : chosen === "boolean" ? true : undefined,
          });
        }}
      />
      {value["value"] !== null && <ValueField part={part} type={type} />}
      <Checkbox
        label={t("step.fields.clear")}
        checked={value["value"] === null}
        onChange={({ target }) =>
          set({ value: target.checked ? null : type === "boolean" ? true : undefined })
        }
      />
    </>
  );
}

function ValueField({ part: { value, set, faultOf, name }, type }: { part: PartProps; type: string }) {
  const { t } = useTranslation();
  const common = { name: `${name}-value`, label: t("step.fields.value"), fault: faultOf("value") };
  if (type === "number")
    return (
      <NumberField {...common} value={value["value"]} onChange={(next) => set({ value: next }, "value")} />
    );
  if (type === "boolean")
    return (
      <SelectField
        {...common}
        value={String(value["value"])}
        options={[
          { value: "true", label: t("step.fields.yes") },
          { value: "false", label: t("step.fields.no") },
        ]}
        onChange={({ target }) => set({ value: target.value === "true" })}
      />
    );
  return (
    <TextField
      {...common}
      type={type === "date" ? "date" : type === "url" ? "url" : "text"}
      value={textIn(value["value"])}
      maxLength={1_000}
      autoComplete="off"
      onChange={({ target }) => set({ value: target.value || undefined }, "value")}
    />
  );
}

const ACTIONS = ["add", "copy", "move", "remove"] as const;

export function ListStepFields({ part: { value, set, faultOf, name } }: { part: PartProps }) {
  const { t } = useTranslation();
  const lists = useLists();
  const id = textIn(value["list_id"]);
  const isGone = id !== "" && !lists.some((one) => one.id === id);
  return (
    <div className="two">
      <SelectField
        name={`${name}-action`}
        label={t("step.fields.action")}
        value={textIn(value["action"])}
        fault={faultOf("action")}
        options={ACTIONS.map((one) => ({ value: one, label: t(`step.fields.actions.${one}`) }))}
        onChange={({ target }) => set({ action: target.value })}
      />
      <SelectField
        name={`${name}-list`}
        label={t("step.fields.list")}
        value={id}
        fault={faultOf("list_id")}
        options={[
          { value: "", label: t("step.fields.chooseList") },
          ...(isGone ? [{ value: id, label: t("automations.goneList") }] : []),
          ...lists.map((one) => ({ value: one.id, label: one.name })),
        ]}
        onChange={({ target }) => set({ list_id: target.value || undefined })}
      />
    </div>
  );
}

export function WebhookFields({ part: { value, set, faultOf, name } }: { part: PartProps }) {
  const { t } = useTranslation();
  const url = textIn(value["url"]);
  return (
    <>
      <TextField
        name={`${name}-url`}
        label={t("step.fields.url")}
        hint={t("step.fields.urlHint")}
        type="url"
        value={url}
        fault={faultOf("url")}
        maxLength={2_000}
        autoComplete="off"
        onChange={({ target }) => set({ url: target.value }, "url")}
      />
      <Suspense>
        <WebhookSecret url={url} />
      </Suspense>
    </>
  );
}

const MOST_USERS = 200;

export function NotifyFields({ part: { value, set, faultOf, name } }: { part: PartProps }) {
  const { t } = useTranslation();
  const users = useQuery(query("GET /v1/users", { query: { limit: MOST_USERS } })).data?.data ?? [];
  const chosen = Array.isArray(value["to"]) ? value["to"].map(String) : [];
  return (
    <>
      <fieldset className="stack tight">
        <legend className="flabel">{t("step.fields.to")}</legend>
        {users.map(({ id, name: called, email }) => (
          <Checkbox
            key={id}
            label={called || email}
            hint={called ? email : ""}
            checked={chosen.includes(id)}
            onChange={({ target }) => {
              const next = target.checked ? [...chosen, id] : chosen.filter((one) => one !== id);
              set({ to: next.length > 0 ? next : undefined });
            }}
          />
        ))}
        {faultOf("to") && <div className="err">{faultOf("to")}</div>}
      </fieldset>
      <TextField
        name={`${name}-subject`}
        label={t("step.fields.subject")}
        value={textIn(value["subject"])}
        fault={faultOf("subject")}
        maxLength={250}
        autoComplete="off"
        onChange={({ target }) => set({ subject: target.value }, "subject")}
      />
      <TextArea
        name={`${name}-text`}
        label={t("step.fields.text")}
        value={textIn(value["text"])}
        fault={faultOf("text")}
        maxLength={5_000}
        onChange={({ target }) => set({ text: target.value }, "text")}
      />
    </>
  );
}
