import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../api/client.ts";
import type { Mailbox, MailboxCreate } from "../../../api/openapi.ts";
import { editedQuery } from "../../../api/queries.ts";
import { EditDialog } from "../../../kit/forms/edit-dialog.tsx";
import { Checkbox, PasswordField, SelectField, TextField } from "../../../kit/forms/field.tsx";
import type { Values } from "../../../kit/forms/form.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

const TLS_MODES = ["implicit", "starttls", "none"] as const;
const AFTER_MODES = ["keep", "seen", "move", "delete"] as const;
const MOVE = "move:";

function useFinish(onClose: () => void) {
  const queries = useQueryClient();
  return async (text: string) => {
    onClose();
    await queries.invalidateQueries({ queryKey: ["inbound"] });
    notify(text);
  };
}

export function NewMailbox({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  return (
    <FormDialog
      title={t("inbound.mailboxes.new")}
      action={t("inbound.mailboxes.new")}
      onClose={onClose}
      submit={async (values) => {
        const body = { ...patchOf(values), password: values.exactText("password") };
        const { name } = await call("POST /v1/inbound/mailboxes", { body });
        await finish(t("inbound.mailboxes.created", { name }));
      }}
    >
      <MailboxFields />
    </FormDialog>
  );
}

export function EditMailbox({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  const path = { id };
  const found = useQuery(editedQuery("GET /v1/inbound/mailboxes/{id}", { path }));
  if (!found.data) return null;
  const { body: mailbox, etag } = found.data;
  const labels: Record<string, string> = {
    name: t("inbound.mailboxes.name"),
    host: t("inbound.mailboxes.host"),
    port: t("inbound.mailboxes.port"),
    tls: t("inbound.mailboxes.tls"),
    username: t("inbound.mailboxes.username"),
    folder: t("inbound.mailboxes.folder"),
    after: t("inbound.mailboxes.after"),
    paused: t("inbound.mailboxes.paused"),
  };
  return (
    <EditDialog
      title={t("inbound.mailboxes.edit")}
      etag={etag}
      patchOf={patchOf}
      save={(body, ifMatch) => call("PATCH /v1/inbound/mailboxes/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/inbound/mailboxes/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      secret="password"
      onSaved={() => finish(t("inbound.mailboxes.saved", { name: mailbox.name }))}
      onClose={onClose}
    >
      <MailboxFields mailbox={mailbox} />
    </EditDialog>
  );
}

/** A password is sent only where one was typed: what is left empty stays as it is. */
function patchOf(values: Values): Omit<MailboxCreate, "password"> & { password?: string } {
  const password = values.exactText("password");
  const port = values.text("port");
  const after = values.text("after_mode");
  return {
    name: values.text("name"),
    host: values.text("host"),
    // What is no number is sent as it was typed, and the answer says what is wrong with it.
    ...(port !== "" && { port: Number.isFinite(Number(port)) ? Number(port) : (port as unknown as number) }),
    tls: values.text("tls") as Mailbox["tls"],
    username: values.text("username"),
    ...(password !== "" && { password }),
    folder: values.text("folder"),
    after: after === "move" ? MOVE + values.text("after") : after,
    paused: values.isChecked("paused"),
  };
}

function MailboxFields({ mailbox }: { mailbox?: Mailbox }) {
  const { t } = useTranslation();
  const typed = { autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <TextField
        name="name"
        label={t("inbound.mailboxes.name")}
        maxLength={200}
        defaultValue={mailbox?.name ?? ""}
        autoComplete="off"
      />
      <div className="two">
        <TextField
          name="host"
          label={t("inbound.mailboxes.host")}
          maxLength={253}
          defaultValue={mailbox?.host ?? ""}
          {...typed}
        />
        <TextField
          name="port"
          label={t("inbound.mailboxes.port")}
          inputMode="numeric"
          defaultValue={mailbox?.port ?? 993}
          {...typed}
        />
      </div>
      <SelectField
        name="tls"
        label={t("inbound.mailboxes.tls")}
        defaultValue={mailbox?.tls ?? "implicit"}
        options={TLS_MODES.map((mode) => ({ value: mode, label: t(`inbound.mailboxes.tlsModes.${mode}`) }))}
      />
      <div className="two">
        <TextField
          name="username"
          label={t("inbound.mailboxes.username")}
          maxLength={320}
          defaultValue={mailbox?.username ?? ""}
          {...typed}
        />
        <PasswordField
          name="password"
          label={t("inbound.mailboxes.password")}
          {...(mailbox && { hint: t("inbound.mailboxes.passwordKept") })}
          size="md"
          maxLength={1_000}
          autoComplete="new-password"
        />
      </div>
      <TextField
        name="folder"
        label={t("inbound.mailboxes.folder")}
        maxLength={255}
        defaultValue={mailbox?.folder ?? "INBOX"}
        {...typed}
      />
      <AfterFields after={mailbox?.after ?? "keep"} />
      <Checkbox
        name="paused"
        label={t("inbound.mailboxes.paused")}
        defaultChecked={mailbox?.paused ?? false}
      />
    </>
  );
}

function AfterFields({ after }: { after: string }) {
  const { t } = useTranslation();
  const isMoved = after.startsWith(MOVE);
  const [mode, setMode] = useState(isMoved ? "move" : after);
  return (
    <>
      <SelectField
        name="after_mode"
        label={t("inbound.mailboxes.after")}
        hint={t("inbound.mailboxes.afterHint")}
        defaultValue={mode}
        onChange={({ target }) => setMode(target.value)}
        options={AFTER_MODES.map((one) => ({ value: one, label: t(`inbound.mailboxes.afterModes.${one}`) }))}
      />
      {mode === "move" && (
        <TextField
          name="after"
          label={t("inbound.mailboxes.moveTo")}
          maxLength={255}
          defaultValue={isMoved ? after.slice(MOVE.length) : ""}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  );
}
