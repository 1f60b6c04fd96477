/** One delivery: what was posted, what came back, and every try of it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCw, SquareTerminal, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Webhook, WebhookDeliveryDetail } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { formatDuration, formatNumber, formatSecond, formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton, CopyIcon } from "../../kit/copy-button.tsx";
import { useProblemText } from "../../kit/forms/problem-note.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify, notifyFailure } from "../../kit/toasts.tsx";
import { Code, JsonText } from "./code.tsx";
import { useRefresh } from "./endpoint-form.tsx";
import { curlOf } from "./samples.ts";
import { LogTime, useAnswerWord } from "./state.tsx";
import { useMayWrite } from "./use-may-write.ts";

const LOOK_EVERY_MS = 2_000;

type Props = { webhook: Webhook; id: string; onClose: () => void };

export function DeliveryDetails({ webhook, id, onClose }: Props) {
  const { t } = useTranslation();
  const found = useQuery({
    ...query("GET /v1/webhooks/{id}/deliveries/{delivery_id}", {
      path: { id: webhook.id, delivery_id: id },
    }),
    refetchInterval: ({ state }) => (state.data?.status === "waiting" ? LOOK_EVERY_MS : false),
  });
  const head = useRef<HTMLHeadingElement>(null);
  // Where it stands above the log, whoever opened it far below would not see it.
  useEffect(() => {
    if (found.data?.id === id) head.current?.focus();
  }, [found.data?.id, id]);
  const delivery = found.data?.id === id ? found.data : undefined;
  return (
    <div className="stack delivery-details">
      <div className="row between top">
        <h2 ref={head} tabIndex={-1} className="break">
          {delivery?.type ?? t("webhooks.one.details")}
        </h2>
        <div className="row">
          {delivery && webhook.status === "enabled" && <Retry delivery={delivery} />}
          <Button kind="quiet" size="sm" icon={X} aria-label={t("do.close")} onClick={onClose} />
        </div>
      </div>
      {delivery && <Found webhook={webhook} delivery={delivery} />}
      {!delivery && found.error && (
        <Failure
          title={t("webhooks.one.unreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      )}
      {!delivery && !found.error && <SkeletonLines lines={6} />}
    </div>
  );
}

type DeliveryProps = { delivery: WebhookDeliveryDetail };

/** What a test posts is no event, so there is nothing to post again. */
function Retry({ delivery: { id, webhook_id: webhookId, origin } }: DeliveryProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const textOf = useProblemText();
  const mayWrite = useMayWrite();
  const [isBusy, setBusy] = useState(false);
  if (!mayWrite || origin === "test") return null;
  const retry = async () => {
    setBusy(true);
    try {
      const path = { id: webhookId, delivery_id: id };
      await call("POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry", { path });
      notify(t("webhooks.one.retried"));
      await refresh();
    } catch (thrown) {
      notifyFailure(textOf(asApiError(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" icon={RotateCw} busy={isBusy} onClick={() => void retry()}>
      {t("webhooks.one.retry")}
    </Button>
  );
}

function Found({ webhook, delivery }: { webhook: Webhook } & DeliveryProps) {
  const { t } = useTranslation();
  const { request, message_id: messageId, answer, attempts } = delivery;
  const status = attempts.at(-1)?.status ?? null;
  return (
    <>
      <p className="sm mid">
        <WhatBecame delivery={delivery} /> <About body={request.body} />
      </p>
      <dl className="kv">
        <dt>{t("webhooks.one.id")}</dt>
        <dd className="row">
          <span className="mono break">{messageId}</span>
          <CopyIcon text={messageId} label={t("webhooks.one.copyId")} />
        </dd>
        <dt>{t("webhooks.one.origin")}</dt>
        <dd>{t(`webhooks.one.origins.${delivery.origin}`)}</dd>
      </dl>
      {attempts.length > 1 && <Attempts delivery={delivery} />}
      <section className="stack tight">
        <h3 className="label">{t("webhooks.one.sent")}</h3>
        <Sent delivery={delivery} />
        {webhook.include.includes("email") && <p className="xs dim">{t("webhooks.one.withoutEmail")}</p>}
      </section>
      <section className="stack tight">
        <h3 className="label">{t("webhooks.one.answered")}</h3>
        {status === null ? (
          <p className="sm mid">{t("webhooks.one.noAnswer")}</p>
        ) : (
          <>
            <Code folded label={t("webhooks.one.answerCode")}>
              {`${status}\n\n`}
              {answer || <span className="dim">{t("webhooks.one.emptyAnswer")}</span>}
            </Code>
            {answer && <p className="xs dim">{t("webhooks.one.firstBytes")}</p>}
          </>
        )}
      </section>
      {request.body !== null && (
        <div className="row wrap">
          <CopyButton
            size="sm"
            icon={SquareTerminal}
            text={curlOf({ url: request.url, id: messageId, body: request.body })}
            label={t("webhooks.one.curl")}
          />
          <CopyButton size="sm" text={request.body} label={t("webhooks.one.copyBody")} />
        </div>
      )}
    </>
  );
}

/** The last try in a sentence, and what follows. */
function WhatBecame({ delivery: { attempts, status, next_attempt_at: nextAt } }: DeliveryProps) {
  const { t } = useTranslation();
  const wordOf = useAnswerWord();
  const last = attempts.at(-1);
  const next = nextAt && t("webhooks.one.next", { time: timeWord(nextAt) });
  if (!last) return [t("webhooks.one.untried"), next].filter(Boolean).join(". ");
  const duration = formatDuration(last.duration_ms);
  const what =
    last.status === null
      ? t("webhooks.one.failedNone", { duration, why: wordOf(last) })
      : t("webhooks.one.answeredIn", { duration, answer: wordOf(last) });
  const number = attempts.length;
  return (
    <>
      {number === 1
        ? t("webhooks.one.first", { what })
        : t("webhooks.one.later", { what, number: formatNumber(number) })}{" "}
      {status === "failed" && t("webhooks.one.givenUp")}
      {status === "waiting" && next}
    </>
  );
}

function timeWord(at: string): string {
  const time = new Date(at);
  return time.toDateString() === new Date().toDateString() ? formatSecond(time) : formatTime(at);
}

function Attempts({ delivery: { attempts } }: DeliveryProps) {
  const { t } = useTranslation();
  const wordOf = useAnswerWord();
  return (
    <section className="stack tight">
      <h3 className="label">{t("webhooks.one.attempts")}</h3>
      <ol className="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <LogTime at={attempt.at} />
            <span className="med">{wordOf(attempt)}</span>
            <span className="mid num">{formatDuration(attempt.duration_ms)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The request of the last try. Its signature was made for that moment and isn't kept. */
function Sent({ delivery: { request, message_id: messageId, attempts, origin } }: DeliveryProps) {
  const { t } = useTranslation();
  const at = attempts.at(-1)?.at;
  const seconds = at && Math.floor(new Date(at).getTime() / 1_000);
  const headers: readonly (readonly [string, string])[] = [
    ["content-type", "application/json"],
    ["webhook-id", messageId],
    ...(seconds ? [["webhook-timestamp", String(seconds)] as const] : []),
    ["webhook-signature", t("webhooks.one.signatureNotKept")],
  ];
  return (
    <Code label={t("webhooks.one.sentCode")}>
      {`POST ${request.url}\n`}
      {headers.map(([name, value]) => (
        <span key={name}>
          {`${name}: `}
          <span className="json-text">{value}</span>
          {"\n"}
        </span>
      ))}
      {"\n"}
      {request.body === null ? (
        <span className="dim">
          {origin === "test" ? t("webhooks.one.testBody") : t("webhooks.one.noBody")}
        </span>
      ) : (
        <JsonText body={request.body} />
      )}
    </Code>
  );
}

/** The way to what the event is about, where it is about one thing that has a page. */
function About({ body }: { body: string | null }) {
  const { t } = useTranslation();
  const { type, campaign, subscriber } = subjectOf(body);
  if (subscriber && type !== "subscriber.deleted")
    return (
      <Link to="/subscribers/$id" params={{ id: subscriber }} className="link">
        {t("webhooks.one.openSubscriber")}
      </Link>
    );
  if (campaign && type !== "campaign.deleted")
    return (
      <Link to="/campaigns/$id" params={{ id: campaign }} className="link">
        {t("webhooks.one.openCampaign")}
      </Link>
    );
  return null;
}

function subjectOf(body: string | null) {
  const { type, data } = JSON.parse(body ?? "{}") as { type?: string; data?: Record<string, unknown> };
  const idIn = (name: string, prefix: string) => {
    const id = data?.[name];
    return typeof id === "string" && id.startsWith(prefix) ? id : undefined;
  };
  return { type, campaign: idIn("campaign_id", "cmp_"), subscriber: idIn("subscriber_id", "sub_") };
}
