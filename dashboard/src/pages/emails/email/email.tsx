/** One transactional mail: how it stands, what happened to it, and what it says. */
import "../../../i18n/later/emails.ts";
import "../emails.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Ban } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { EmailDetail } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { formatWhen } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { EmailState } from "../state.tsx";
import { Content, contentQuery } from "./content.tsx";
import { Facts } from "./facts.tsx";
import { Recipients } from "./recipients.tsx";
import { Timeline } from "./timeline.tsx";
import { emailQuery, useEmail } from "./use-email.ts";

const route = getRouteApi("/signed-in/emails/$id");

export function EmailPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const { data, error, refetch } = useEmail(id);
  if (data) return <Loaded key={id} email={data} />;
  if (!error) return <SkeletonLines />;
  return (
    <>
      <PageHead title={t("emails.one")} crumb={{ label: t("nav.emails"), to: "/emails" }} />
      {asApiError(error).status === 404 ? (
        <Empty title={t("emails.gone")} text={t("emails.goneText")}>
          <Link to="/emails" className="btn btn-primary">
            {t("emails.toAll")}
          </Link>
        </Empty>
      ) : (
        <Failure title={t("emails.oneUnreadable")} error={error} retry={() => void refetch()} />
      )}
    </>
  );
}

/** As long as no copy has left. The service has the last word, for a sender may be about to take it. */
const OPEN: ReadonlySet<EmailDetail["status"]> = new Set(["scheduled", "queued", "deferred"]);
const canCancel = ({ status, recipients }: EmailDetail) =>
  OPEN.has(status) && recipients.every((one) => OPEN.has(one.status) || one.status === "skipped");

function Loaded({ email }: { email: EmailDetail }) {
  const { t } = useTranslation();
  const [isCanceling, setCanceling] = useState(false);
  const { data: content } = useQuery(contentQuery(email));
  const messageId = content?.headers.find(({ name }) => name.toLowerCase() === "message-id")?.value;
  const cancel = () => setCanceling(true);
  const isOpen = canCancel(email);
  useRegisterActions(
    isOpen ? [{ id: "cancel-email", label: t("emails.cancel"), icon: Ban, run: cancel }] : [],
  );
  const { subject, status, send_at: planned } = email;
  return (
    <>
      <PageHead
        title={subject === null ? t("emails.noLongerKept") : subject || t("emails.noSubject")}
        crumb={{ label: t("nav.emails"), to: "/emails" }}
        sub={
          <>
            <EmailState status={status} />
            {status === "scheduled" && planned ? (
              <span>{t("emails.leavesAt", { time: formatWhen(planned) })}</span>
            ) : (
              <span>
                {t("emails.acceptedAt")} <Time at={email.created_at} />
              </span>
            )}
          </>
        }
        actions={
          isOpen && (
            <Button icon={Ban} onClick={cancel}>
              {t("emails.cancel")}
            </Button>
          )
        }
      />
      <div className="one">
        <div className="one-main email-main">
          <Recipients recipients={email.recipients} />
          <Timeline email={email} />
          <Content email={email} />
        </div>
        <Facts email={email} messageId={messageId} />
      </div>
      {isCanceling && <CancelEmail email={email} onClose={() => setCanceling(false)} />}
    </>
  );
}

function CancelEmail({ email, onClose }: { email: EmailDetail; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, recipients } = email;
  const count = recipients.filter(({ status }) => OPEN.has(status)).length;
  return (
    <ConfirmDialog
      title={t("emails.cancelTitle")}
      lead={t("emails.cancelLead", { count })}
      action={t("emails.cancelAction")}
      onClose={onClose}
      confirm={async () => {
        const canceled = await call("POST /v1/emails/{id}/cancel", { path: { id } });
        queries.setQueryData(emailQuery(id).queryKey, canceled);
        void queries.invalidateQueries({ queryKey: ["emails", "rows"] });
        notify(t("emails.canceled"));
      }}
    />
  );
}
