import { useTranslation } from "react-i18next";
import type { Webhook } from "../../api/openapi.ts";
import { formatTime } from "../../i18n/format.ts";
import { useWho } from "../../kit/who.ts";
import { EVERYTHING } from "./event-choice.ts";

/** How an endpoint is set up, for whoever doesn't open the form for it. */
export function AboutEndpoint({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const { events, description, include, ordered, batch_engagement: inBatches } = webhook;
  const { previous_secret_until: until } = webhook;
  const options = [
    include.includes("email") ? t("webhooks.about.email") : t("webhooks.about.noEmail"),
    ordered ? t("webhooks.about.ordered") : t("webhooks.about.beside"),
    ...(inBatches ? [t("webhooks.about.batches")] : []),
  ];
  return (
    <section className="stack" aria-labelledby="webhook-about">
      <h2 id="webhook-about">{t("webhooks.about.title")}</h2>
      <dl className="kv">
        {description !== "" && (
          <>
            <dt>{t("webhooks.description")}</dt>
            <dd className="break" dir="auto">
              {description}
            </dd>
          </>
        )}
        <dt>{t("webhooks.events")}</dt>
        <dd className="row wrap tags">
          {events.includes(EVERYTHING)
            ? t("webhooks.everything")
            : events.map((pattern) => (
                <span key={pattern} className="badge mono">
                  {pattern}
                </span>
              ))}
        </dd>
        <dt>{t("webhooks.about.options")}</dt>
        <dd>
          <ul>
            {options.map((option) => (
              <li key={option}>{option}</li>
            ))}
          </ul>
        </dd>
        <dt>{t("webhooks.about.changed")}</dt>
        <dd>
          {t("webhooks.about.by", {
            time: formatTime(webhook.updated_at),
            who: nameOf(webhook.updated_by),
          })}
        </dd>
      </dl>
      {until && new Date(until) > new Date() && (
        <p className="note info">{t("webhooks.secret.both", { time: formatTime(until) })}</p>
      )}
    </section>
  );
}
