/** What is asked before something is done to many: which tag, field or list; or whether it is meant, where there is no way back. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Field, Operations } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { awaitChange } from "../../shell/running/running-jobs.tsx";
import { useFields, useLists, useTags } from "./reference-data.ts";

type Body = Operations["POST /v1/bulk_changes"]["body"];
type Action = Body["action"];
export type BulkFilter = NonNullable<Body["filter"]>;
export type Deed = "tag" | "untag" | "setField" | "copy" | "unsubscribe" | "delete";

type Props = {
  deed: Deed;
  whom: Pick<Body, "filter" | "ids">;
  count: number;
  /** The selection has done its work. */
  onStarted: () => void;
  onClose: () => void;
};

export default function BulkDialog({ deed, whom, count, onStarted, onClose }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const people = t("bulk.people", { count, number: formatNumber(count) });
  const start = async (action: Action) => {
    const made = await call("POST /v1/bulk_changes", { body: { ...whom, action } });
    awaitChange(made.id);
    onStarted();
    onClose();
    await queries.invalidateQueries({ queryKey: ["bulk_changes"] });
  };
  if (deed === "unsubscribe" || deed === "delete") {
    return (
      <ConfirmDialog
        title={t(`bulk.${deed}Title`, { people })}
        lead={t(`bulk.${deed}Lead`)}
        action={t(`bulk.${deed}Action`, { people })}
        people={count}
        confirm={() => start({ type: deed })}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={t(`bulk.${deed}Title`, { people })}
      lead={deed === "copy" ? t("bulk.copyLead") : t("bulk.started")}
      action={t(`bulk.${deed}`)}
      submit={(values) => start(READERS[deed](values))}
      onClose={onClose}
    >
      {deed === "copy" ? <ListChoice /> : deed === "setField" ? <FieldChoice /> : <TagChoice />}
    </FormDialog>
  );
}

/** A fault's pointer, as `/action/tags/0`, leads to the field of that name. */
const tagsOf = (values: Values) =>
  values
    .text("action.tags")
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

const READERS: Readonly<Record<Exclude<Deed, "unsubscribe" | "delete">, (values: Values) => Action>> = {
  tag: (values) => ({ type: "add_tags", tags: tagsOf(values) }),
  untag: (values) => ({ type: "remove_tags", tags: tagsOf(values) }),
  copy: (values) => ({ type: "add_to_list", list_id: values.text("action.list_id") }),
  setField: (values) => ({
    type: "set_field",
    field: values.text("action.field"),
    value: readValue(values.text("action.value"), values.text("kind")),
  }),
};

function TagChoice() {
  const { t } = useTranslation();
  const tags = useTags();
  return (
    <>
      <TextField
        name="action.tags"
        label={t("bulk.tags")}
        hint={t("bulk.tagsHint")}
        list="bulk-tags"
        autoComplete="off"
        maxLength={1_000}
      />
      <datalist id="bulk-tags">
        {tags.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  );
}

function ListChoice() {
  const { t } = useTranslation();
  const lists = useLists();
  return (
    <SelectField
      name="action.list_id"
      label={t("bulk.list")}
      options={lists.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

/** Those of the table itself are all texts. */
const OWN = ["first_name", "last_name", "locale", "time_zone"] as const;
const TYPES: Partial<Record<Field["type"], string>> = { number: "number", date: "date", url: "url" };

function FieldChoice() {
  const { t } = useTranslation();
  const fields = useFields();
  const [chosen, setChosen] = useState("");
  const names = [
    ...fields.map(({ key, name }) => ({ value: `fields.${key}`, label: name })),
    ...OWN.map((value) => ({ value, label: t(`bulk.own.${value}`) })),
  ];
  const present = chosen || names[0]?.value;
  const kind = fields.find(({ key }) => `fields.${key}` === present)?.type ?? "text";
  return (
    <>
      <SelectField
        name="action.field"
        label={t("bulk.field")}
        options={names}
        value={present}
        onChange={(event) => setChosen(event.target.value)}
      />
      <input type="hidden" name="kind" value={kind} />
      {kind === "boolean" ? (
        <SelectField
          key={present}
          name="action.value"
          label={t("bulk.value")}
          options={[
            { value: "true", label: t("form.yes") },
            { value: "false", label: t("form.no") },
            { value: "", label: t("form.notSet") },
          ]}
        />
      ) : (
        <TextField
          key={present}
          name="action.value"
          label={t("bulk.value")}
          hint={t("bulk.valueHint")}
          type={TYPES[kind] ?? "text"}
          autoComplete="off"
          maxLength={2_000}
        />
      )}
    </>
  );
}

function readValue(text: string, kind: string): string | number | boolean | null {
  if (text === "") return null;
  if (kind === "number") return Number(text);
  return kind === "boolean" ? text === "true" : text;
}
