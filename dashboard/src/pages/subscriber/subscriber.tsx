/** One subscriber: what happened, who it is, and what can be done. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { AlarmClock, Ellipsis, MailCheck, Pencil, Trash2, UserMinus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Subscriber } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { useProblemText } from "../../kit/forms/problem-note.tsx";
import { initialsOf } from "../../kit/initials.ts";
import { Menu, type MenuItem } from "../../kit/overlays/menu.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty, Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify, notifyFailure } from "../../kit/toasts.tsx";
import { useAct } from "../../kit/use-act.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import { StatusMark } from "../subscribers/status.tsx";
import { Details } from "./details.tsx";
import { EditSubscriber } from "./edit-subscriber.tsx";
import { DeleteSubscriber, ForgetSubscriber, UnsubscribeSubscriber } from "./endings.tsx";
import { Timeline } from "./timeline.tsx";

const route = getRouteApi("/signed-in/subscribers/$id");

export const subscriberQuery = (id: string) => queryWithEtag("GET /v1/subscribers/{id}", { path: { id } });

type Open = "edit" | "unsubscribe" | "delete" | "forget" | null;

export function SubscriberPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useQuery(subscriberQuery(id));
  if (found.error && !found.data) {
    return (
      <>
        <PageHead title={t("subscriber.title")} crumb={{ label: t("nav.subscribers"), to: "/subscribers" }} />
        {asApiError(found.error).status === 404 ? (
          <Gone />
        ) : (
          <Failure
            title={t("subscriber.unreadable")}
            error={found.error}
            retry={() => void found.refetch()}
          />
        )}
      </>
    );
  }
  if (!found.data) return <SkeletonLines />;
  return <Loaded key={id} subscriber={found.data.body} etag={found.data.etag} />;
}

/** Who isn't there stays away however often it is tried. */
function Gone() {
  const { t } = useTranslation();
  return (
    <Empty title={t("subscriber.gone")} text={t("subscriber.goneText")}>
      <Link to="/subscribers" className="btn btn-primary">
        {t("subscriber.toAll")}
      </Link>
    </Empty>
  );
}

function Loaded({ subscriber, etag }: { subscriber: Subscriber; etag: string | undefined }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const name = [subscriber.first_name, subscriber.last_name].filter(Boolean).join(" ");
  const resend = useResend(subscriber);
  const canLeave =
    subscriber.status === "active" || subscriber.status === "pending" || subscriber.status === "bounced";
  useRegisterActions([
    { id: "edit", label: t("subscriber.edit"), icon: Pencil, keys: "e", run: () => setOpen("edit") },
    ...(canLeave
      ? [
          {
            id: "unsubscribe",
            label: t("subscriber.unsubscribe"),
            icon: UserMinus,
            run: () => setOpen("unsubscribe"),
          },
        ]
      : []),
  ]);
  return (
    <>
      <PageHead
        title={name || subscriber.email}
        crumb={{ label: t("nav.subscribers"), to: "/subscribers" }}
        avatar={
          <span className="avatar avatar-lg avatar-accent hide-s" aria-hidden="true">
            {initialsOf(name || subscriber.email)}
          </span>
        }
        sub={
          <>
            {name && <span className="mid break">{subscriber.email}</span>}
            <StatusMark status={subscriber.status} />
            <span>
              {[
                t(subscriber.sendable ? "subscriber.sendable" : "subscriber.notSendable"),
                subscriber.paused_until &&
                  t("subscriber.paused", { time: formatTime(subscriber.paused_until) }),
                subscriber.dormancy && t(`subscriber.${subscriber.dormancy}`),
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </>
        }
        actions={
          <>
            <Menu
              trigger={<Button icon={Ellipsis} aria-label={t("do.more")} />}
              items={[
                ...(subscriber.status === "pending" ? [resend] : []),
                { label: t("subscriber.delete"), icon: Trash2, danger: true, run: () => setOpen("delete") },
              ]}
            />
            {subscriber.dormancy && <Wake subscriber={subscriber} />}
            {canLeave && (
              <Button icon={UserMinus} onClick={() => setOpen("unsubscribe")}>
                {t("subscriber.unsubscribe")}
              </Button>
            )}
            <Button icon={Pencil} shortcut="E" onClick={() => setOpen("edit")}>
              {t("do.edit")}
            </Button>
          </>
        }
      />
      <div className="one">
        <Timeline id={subscriber.id} />
        <Details subscriber={subscriber} onForget={() => setOpen("forget")} />
      </div>
      {open === "edit" && <EditSubscriber subscriber={subscriber} etag={etag} onClose={close} />}
      {open === "unsubscribe" && <UnsubscribeSubscriber subscriber={subscriber} onClose={close} />}
      {open === "delete" && <DeleteSubscriber subscriber={subscriber} onClose={close} />}
      {open === "forget" && <ForgetSubscriber subscriber={subscriber} onClose={close} />}
    </>
  );
}

/** Takes back what a sunset policy said of somebody. */
function Wake({ subscriber: { id, email } }: { subscriber: Subscriber }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { isBusy, run } = useAct(async () => {
    await call("POST /v1/subscribers/{id}/wake", { path: { id } });
    await queries.invalidateQueries({ queryKey: ["subscribers"] });
    notify(t("subscriber.woken", { email }));
  });
  return (
    <Button icon={AlarmClock} needs="subscribers:write" busy={isBusy} onClick={run}>
      {t("subscriber.wake")}
    </Button>
  );
}

/** Sends the mail again by which somebody who is pending confirms. */
function useResend({ id, email }: Subscriber): MenuItem {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const send = async () => {
    try {
      await call("POST /v1/subscribers/{id}/resend_confirmation", { path: { id } });
      notify(t("subscriber.resent", { email }));
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
  };
  return { label: t("subscriber.resend"), icon: MailCheck, run: () => void send() };
}
