/** How an endpoint and a delivery do, as an icon and a word. */

import type { LucideIcon } from "lucide-react";
import { CircleCheck, CircleSlash, CircleX, Clock, RotateCw, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Webhook, WebhookDelivery } from "../../api/openapi.ts";
import { formatExact, formatSecond, formatTime } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";

function State({ icon, className, word }: { icon: LucideIcon; className: string; word: string }) {
  return (
    <span className={`state ${className}`}>
      <Icon of={icon} />
      <span className="state-word">{word}</span>
    </span>
  );
}

export function EndpointState({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  if (webhook.status === "disabled")
    return (
      <State
        icon={CircleSlash}
        className={webhook.disabled_reason === "by_user" ? "dim" : "c-danger"}
        word={t("webhooks.off")}
      />
    );
  if (webhook.failing_since)
    return <State icon={TriangleAlert} className="c-warn" word={t("webhooks.failing")} />;
  return <State icon={CircleCheck} className="c-accent" word={t("webhooks.on")} />;
}

type Attempt = WebhookDelivery["attempts"][number];

const FAILURES = [
  "timeout",
  "unreachable",
  "untrusted",
  "internal",
  "broken",
  "too_large",
  "encoded",
] as const;

/** The status of the answer, or in words why none came. */
export function useAnswerWord(): (attempt: Attempt | undefined) => string {
  const { t } = useTranslation();
  return (attempt) => {
    if (!attempt) return t("webhooks.log.waits");
    if (attempt.status !== null) return String(attempt.status);
    const known = FAILURES.find((one) => one === attempt.failure);
    return t(`webhooks.failures.${known ?? "other"}`);
  };
}

const LOOKS: Readonly<Record<WebhookDelivery["status"], { icon: LucideIcon; className: string }>> = {
  delivered: { icon: CircleCheck, className: "c-accent" },
  waiting: { icon: RotateCw, className: "c-warn" },
  failed: { icon: CircleX, className: "c-danger" },
};
const UNTRIED = { icon: Clock, className: "c-info" };

export function DeliveryState({ delivery: { status, attempts } }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const wordOf = useAnswerWord();
  const last = attempts.at(-1);
  return (
    <>
      <State {...(last ? LOOKS[status] : UNTRIED)} word={wordOf(last)} />
      {last && <span className="sr">{t(`webhooks.log.statuses.${status}`)}</span>}
    </>
  );
}

/** Of today to the second, since many happen within a minute. */
export function LogTime({ at }: { at: string }) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={formatExact(at)}>
      {isToday ? formatSecond(time) : formatTime(at)}
    </time>
  );
}
