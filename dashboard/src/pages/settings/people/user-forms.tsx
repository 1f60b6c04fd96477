import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../api/client.ts";
import type { User } from "../../../api/openapi.ts";
import { editedQuery, sessionQuery } from "../../../api/queries.ts";
import { EditDialog } from "../../../kit/forms/edit-dialog.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { ShownLink } from "./link-shown.tsx";

export type MadeProps = { onClose: () => void; onMade: (link: ShownLink) => void };

/** What changes with whoever joins, is changed or leaves. */
export function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ["users", "invitations", "session"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
    );
}

const ROLES = ["owner", "admin", "marketer", "writer", "viewer"] as const satisfies readonly User["role"][];

export const roleOf = (text: string): User["role"] => ROLES.find((role) => role === text) ?? "viewer";

/** An owner alone makes owners, and whoever is one stays one for others. */
export function RoleField({ defaultValue }: { defaultValue: User["role"] }) {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const given = ROLES.filter((role) => role !== "owner" || session?.user.role === "owner");
  return (
    <SelectField
      name="role"
      label={t("team.role")}
      defaultValue={defaultValue}
      options={given.map((role) => ({
        value: role,
        label: `${t(`team.roles.${role}`)}: ${t(`team.rolesMean.${role}`)}`,
      }))}
    />
  );
}

export function EditUser({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data } = useQuery(editedQuery("GET /v1/users/{id}", { path }));
  if (!data) return null;
  const { body: user, etag } = data;
  const labels: Record<string, string> = { name: t("team.name"), role: t("team.role") };
  return (
    <EditDialog
      title={t("team.edit", { name: user.name || user.email })}
      etag={etag}
      patchOf={(values) => ({ name: values.text("name"), role: roleOf(values.text("role")) })}
      save={(body, ifMatch) => call("PATCH /v1/users/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/users/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await refresh();
        notify(t("team.saved"));
      }}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t("team.name")}
        maxLength={100}
        optional
        defaultValue={user.name}
        autoComplete="off"
      />
      <RoleField defaultValue={user.role} />
    </EditDialog>
  );
}

export function NewLink({ user, onClose, onMade }: MadeProps & { user: User }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t("team.linkAskTitle", { email: user.email })}
      lead={t("team.linkAskLead")}
      action={t("team.make")}
      onClose={onClose}
      submit={async () => {
        const made = await call("POST /v1/users/{id}/password_link", { path: { id: user.id } });
        onMade({ email: user.email, url: made.url ?? "", expiresAt: made.expires_at, isMailed: false });
      }}
    >
      {null}
    </FormDialog>
  );
}

export function RemoveUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("team.removeTitle", { email: user.email })}
      lead={t("team.removeLead")}
      action={t("team.remove")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/users/{id}", { path: { id: user.id } });
        await refresh();
        notify(t("team.removed", { email: user.email }));
      }}
    />
  );
}
