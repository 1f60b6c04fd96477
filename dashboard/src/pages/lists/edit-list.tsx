import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { List } from "../../api/openapi.ts";
import { editedQuery, pageQuery } from "../../api/queries.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { Checkbox, SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { FromFields, PostalAddressField, ReplyToField } from "../settings/sender-fields.tsx";

function useFinish(onClose: () => void) {
  const queries = useQueryClient();
  return async (text: string) => {
    onClose();
    await queries.invalidateQueries({ queryKey: ["lists"] });
    notify(text);
  };
}

export function NewList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  return (
    <FormDialog
      title={t("lists.new")}
      action={t("lists.new")}
      onClose={onClose}
      submit={async (values) => {
        const made = await call("POST /v1/lists", { body: bodyOf(values) });
        await finish(t("lists.created", { name: made.name }));
      }}
    >
      <ListFields />
    </FormDialog>
  );
}

export function EditList({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  const path = { id };
  const found = useQuery(editedQuery("GET /v1/lists/{id}", { path }));
  if (!found.data) return null;
  const { body: list, etag } = found.data;
  const labels: Record<string, string> = {
    name: t("lists.name"),
    double_opt_in: t("lists.doubleOptIn"),
    public: t("lists.public"),
    from_name: t("sender.fromName"),
    from_email: t("sender.fromEmail"),
    reply_to: t("sender.replyTo"),
    postal_address: t("sender.postalAddress"),
    tracking: t("lists.tracking"),
    archive_slug: t("lists.archiveSlug"),
    archive_indexed: t("lists.archiveIndexed"),
    welcome_template_id: t("lists.welcome"),
  };
  return (
    <EditDialog
      title={t("lists.edit")}
      etag={etag}
      patchOf={bodyOf}
      save={(body, ifMatch) => call("PATCH /v1/lists/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/lists/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={() => finish(t("lists.saved", { name: list.name }))}
      onClose={onClose}
    >
      <ListFields list={list} />
    </EditDialog>
  );
}

function ListFields({ list }: { list?: List }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="name"
        label={t("lists.name")}
        maxLength={200}
        defaultValue={list?.name ?? ""}
        autoComplete="off"
      />
      <Checkbox
        name="double_opt_in"
        label={t("lists.doubleOptIn")}
        hint={t("lists.doubleOptInHint")}
        defaultChecked={list?.double_opt_in}
      />
      <WelcomeField of={list} />
      <Checkbox
        name="public"
        label={t("lists.public")}
        hint={t("lists.publicHint")}
        defaultChecked={list?.public}
      />
      <fieldset className="stack-4">
        <legend className="label">{t("lists.senderLegend")}</legend>
        <FromFields of={list} />
        <ReplyToField of={list} />
        <PostalAddressField of={list} />
      </fieldset>
      <TrackingField of={list} />
      <ArchiveFields of={list} />
    </>
  );
}

const MOST_TEMPLATES = 200;

/** The one that the list has stays in its place while the others are read, so that it stays chosen and saving can't clear it. */
function WelcomeField({ of: list }: { of: List | undefined }) {
  const { t } = useTranslation();
  const found = useQuery(pageQuery("GET /v1/templates", { query: { limit: MOST_TEMPLATES } }));
  const chosen = list?.welcome_template_id ?? "";
  const published = (found.data?.data ?? [])
    .filter(({ published_version }) => published_version !== null)
    .map(({ id, name }) => ({ value: id, label: name }));
  const own = published.find(({ value }) => value === chosen) ?? {
    value: chosen,
    label: t("lists.otherTemplate"),
  };
  return (
    <SelectField
      name="welcome_template_id"
      label={t("lists.welcome")}
      hint={t("lists.welcomeHint")}
      defaultValue={chosen}
      options={[
        { value: "", label: t("lists.noWelcome") },
        ...(chosen === "" ? [] : [own]),
        ...published.filter(({ value }) => value !== chosen),
      ]}
    />
  );
}

const MODES = ["individual", "consented", "aggregate", "off"] as const;

function TrackingField({ of: list }: { of: List | undefined }) {
  const { t } = useTranslation();
  const modes = MODES.map((mode) => ({ value: mode, label: t(`trackingSettings.modes.${mode}`) }));
  return (
    <SelectField
      name="tracking"
      label={t("lists.tracking")}
      hint={t("lists.trackingHint")}
      defaultValue={list?.tracking ?? ""}
      options={[{ value: "", label: t("lists.asAccount") }, ...modes]}
    />
  );
}

/** Who looks for past mails finds them here, where the list has an address for them. */
function ArchiveFields({ of: list }: { of: List | undefined }) {
  const { t } = useTranslation();
  const address = list?.archive_slug ? `/archive/${encodeURIComponent(list.archive_slug)}` : undefined;
  return (
    <fieldset className="stack-4">
      <legend className="label">{t("lists.archiveLegend")}</legend>
      <TextField
        name="archive_slug"
        label={t("lists.archiveSlug")}
        hint={t("lists.archiveSlugHint")}
        maxLength={63}
        optional
        defaultValue={list?.archive_slug ?? ""}
        autoComplete="off"
        spellCheck={false}
      />
      {address && (
        <p className="row wrap sm">
          <a className="link" href={address} target="_blank" rel="noreferrer">
            {t("lists.openArchive")}
          </a>
          <a className="link" href={`${address}/feed.xml`} target="_blank" rel="noreferrer">
            {t("lists.openFeed")}
          </a>
        </p>
      )}
      <Checkbox
        name="archive_indexed"
        label={t("lists.archiveIndexed")}
        defaultChecked={list?.archive_indexed}
      />
    </fieldset>
  );
}

function bodyOf(values: Values) {
  return {
    name: values.text("name"),
    double_opt_in: values.isChecked("double_opt_in"),
    public: values.isChecked("public"),
    from_name: values.textOrNull("from_name"),
    from_email: values.textOrNull("from_email"),
    reply_to: values.textOrNull("reply_to"),
    postal_address: values.textOrNull("postal_address"),
    tracking: values.textOrNull("tracking") as List["tracking"],
    archive_slug: values.textOrNull("archive_slug"),
    archive_indexed: values.isChecked("archive_indexed"),
    welcome_template_id: values.textOrNull("welcome_template_id"),
  };
}
