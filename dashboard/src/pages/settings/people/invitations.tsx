/** Who is invited to the account and hasn't accepted yet. */
import { useQuery } from "@tanstack/react-query";
import { Send, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Invitation, SentInvitation } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { TextField } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { ShownLink } from "./link-shown.tsx";
import { type MadeProps, RoleField, roleOf, useRefresh } from "./user-forms.tsx";

/** Shows the link where the answer has one, and else says what became of the mail. */
function useSent({ onClose, onMade }: MadeProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return async ({ email, link, mailed, expires_at }: SentInvitation) => {
    if (link) onMade({ email, url: link, expiresAt: expires_at, isMailed: mailed });
    else {
      onClose();
      notify(mailed ? t("team.sent", { email }) : t("team.unsent", { email }));
    }
    await refresh();
  };
}

export function InviteUser(props: MadeProps) {
  const { t } = useTranslation();
  const sent = useSent(props);
  return (
    <FormDialog
      title={t("team.invite")}
      lead={t("team.inviteLead")}
      action={t("team.send")}
      onClose={props.onClose}
      submit={async (values) => {
        const body = {
          email: values.text("email"),
          name: values.text("name"),
          role: roleOf(values.text("role")),
        };
        await sent(await call("POST /v1/invitations", { body }));
      }}
    >
      <TextField name="email" label={t("team.email")} type="email" maxLength={254} autoComplete="off" />
      <TextField name="name" label={t("team.name")} maxLength={100} optional autoComplete="off" />
      <RoleField defaultValue="marketer" />
    </FormDialog>
  );
}

type Open = { readonly what: "resend" | "revoke"; readonly invitation: Invitation } | null;

/** Nobody invites more at once than stand on one page. */
const MOST = 200;

export function PendingInvitations({ onMade }: { onMade: (link: ShownLink) => void }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const invitations = useQuery(pageQuery("GET /v1/invitations", { query: { limit: MOST } }));
  const close = () => setOpen(null);
  const show = (link: ShownLink) => {
    close();
    onMade(link);
  };
  if (invitations.data?.data.length === 0) return null;
  return (
    <section className="stack-4">
      <div>
        <h3>{t("team.invitations")}</h3>
        <p className="sm dim">{t("team.invitationsLead")}</p>
      </div>
      <Listing result={invitations} unreadable={t("team.invitationsUnreadable")} empty={null}>
        {(rows) => <InvitationTable invitations={rows} onOpen={setOpen} />}
      </Listing>
      {open?.what === "resend" && <Resend invitation={open.invitation} onClose={close} onMade={show} />}
      {open?.what === "revoke" && <Revoke invitation={open.invitation} onClose={close} />}
    </section>
  );
}

type TableProps = { invitations: readonly Invitation[]; onOpen: (open: Open) => void };

function InvitationTable({ invitations, onOpen }: TableProps) {
  const { t } = useTranslation();
  const itemsFor = (invitation: Invitation) => [
    { label: t("team.resend"), icon: Send, run: () => onOpen({ what: "resend", invitation }) },
    { label: t("team.revoke"), icon: X, danger: true, run: () => onOpen({ what: "revoke", invitation }) },
  ];
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("team.name")}</th>
            <th>{t("team.role")}</th>
            <th>{t("team.expires")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((invitation) => (
            <tr key={invitation.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med break" dir="auto">
                    {invitation.name || invitation.email}
                  </span>
                  {invitation.name && <span className="sm dim break">{invitation.email}</span>}
                </div>
              </td>
              <td className="mid" data-label={t("team.role")}>
                {t(`team.roles.${invitation.role}`)}
              </td>
              <td className="dim" data-label={t("team.expires")}>
                {invitation.status === "expired" ? (
                  <span className="badge warn">{t("team.expired")}</span>
                ) : (
                  <Time at={invitation.expires_at} />
                )}
              </td>
              <td className="r c-menu">
                <RowMenu name={invitation.email} items={itemsFor(invitation)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Resend({ invitation, ...props }: MadeProps & { invitation: Invitation }) {
  const { t } = useTranslation();
  const sent = useSent(props);
  const { id, email } = invitation;
  return (
    <FormDialog
      title={t("team.resendTitle", { email })}
      lead={t("team.resendLead")}
      action={t("team.resend")}
      onClose={props.onClose}
      submit={async () => sent(await call("POST /v1/invitations/{id}/resend", { path: { id } }))}
    >
      {null}
    </FormDialog>
  );
}

function Revoke({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { id, email } = invitation;
  return (
    <ConfirmDialog
      title={t("team.revokeTitle", { email })}
      lead={t("team.revokeLead")}
      action={t("team.revoke")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/invitations/{id}", { path: { id } });
        await refresh();
        notify(t("team.revoked", { email }));
      }}
    />
  );
}
