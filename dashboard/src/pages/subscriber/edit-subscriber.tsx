import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { Field, Subscriber, SubscriberPatch } from "../../api/openapi.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { timeZoneOptions } from "../../kit/time-zones.ts";
import { notify } from "../../kit/toasts.tsx";
import { useFields } from "../subscribers/reference-data.ts";

type Props = { subscriber: Subscriber; etag: string | undefined; onClose: () => void };

export function EditSubscriber({ subscriber, etag, onClose }: Props) {
  const { t } = useTranslation();
  const fields = useFields();
  const queries = useQueryClient();
  const [base] = useState(subscriber);
  const path = { id: subscriber.id };
  const labels: Record<string, string> = {
    email: t("subscribers.address"),
    first_name: t("subscriber.firstName"),
    last_name: t("subscriber.lastName"),
    locale: t("subscriber.locale"),
    time_zone: t("settings.timeZone"),
    ...Object.fromEntries(fields.map(({ key, name }) => [`fields.${key}`, name])),
  };
  return (
    <EditDialog
      title={t("subscriber.edit")}
      etag={etag}
      patchOf={(values) => patchOf(values, fields)}
      save={(body, ifMatch) => call("PATCH /v1/subscribers/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/subscribers/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await queries.invalidateQueries({ queryKey: ["subscribers"] });
        notify(t("subscriber.saved"));
      }}
      onClose={onClose}
    >
      <TextField
        name="email"
        label={t("subscribers.address")}
        type="email"
        maxLength={254}
        defaultValue={base.email}
      />
      <div className="two">
        <TextField
          name="first_name"
          label={t("subscriber.firstName")}
          maxLength={200}
          optional
          defaultValue={base.first_name ?? ""}
        />
        <TextField
          name="last_name"
          label={t("subscriber.lastName")}
          maxLength={200}
          optional
          defaultValue={base.last_name ?? ""}
        />
      </div>
      <div className="two">
        <TextField
          name="locale"
          label={t("subscriber.locale")}
          maxLength={35}
          optional
          defaultValue={base.locale ?? ""}
        />
        <SelectField
          name="time_zone"
          label={t("settings.timeZone")}
          optional
          defaultValue={base.time_zone ?? ""}
          options={[{ value: "", label: t("form.notSet") }, ...timeZoneOptions(base.time_zone ?? undefined)]}
        />
      </div>
      {fields.map((field) => (
        <CustomField key={field.id} field={field} value={base.fields[field.key]} />
      ))}
    </EditDialog>
  );
}

function CustomField({
  field,
  value,
}: {
  field: Field;
  value: string | number | boolean | null | undefined;
}) {
  const { t } = useTranslation();
  const name = `fields.${field.key}`;
  const text = value === null || value === undefined ? "" : String(value);
  if (field.type === "boolean") {
    const options = [
      { value: "", label: t("form.notSet") },
      { value: "true", label: t("form.yes") },
      { value: "false", label: t("form.no") },
    ];
    return <SelectField name={name} label={field.name} options={options} defaultValue={text} optional />;
  }
  const type = { text: "text", number: "text", date: "date", url: "url" }[field.type];
  return (
    <TextField name={name} label={field.name} type={type} defaultValue={text} optional autoComplete="off" />
  );
}

function patchOf(values: Values, fields: readonly Field[]): SubscriberPatch {
  return {
    email: values.text("email"),
    first_name: values.textOrNull("first_name"),
    last_name: values.textOrNull("last_name"),
    locale: values.textOrNull("locale"),
    time_zone: values.textOrNull("time_zone"),
    ...(fields.length > 0 && {
      fields: Object.fromEntries(
        fields.map((field) => [field.key, fieldValue(values.textOrNull(`fields.${field.key}`), field)]),
      ),
    }),
  };
}

/** A number that isn't one is sent as it was typed, and the answer says what is wrong with it. */
function fieldValue(text: string | null, { type }: Field): string | number | boolean | null {
  if (text === null) return null;
  if (type === "boolean") return text === "true";
  if (type === "number" && Number.isFinite(Number(text))) return Number(text);
  return text;
}
