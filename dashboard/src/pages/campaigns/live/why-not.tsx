/** Why some haven't got it, or not yet, by reason, with the server's own words and the domains it is about. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CampaignErrors } from "../../../api/openapi.ts";
import { formatClock, formatNumber } from "../../../i18n/format.ts";

type Group = CampaignErrors["data"][number];

const SHOWN = 6;

export function WhyNot({ id, errors }: { id: string; errors: CampaignErrors }) {
  const { t } = useTranslation();
  const { data, counted } = errors;
  const status = data[0]?.status;
  return (
    <section className="stack">
      <h2>{t("sending.live.why")}</h2>
      {data.length === 0 ? (
        <p className="sm dim">{t("sending.live.whyNone")}</p>
      ) : (
        <ul className="why">
          {data.slice(0, SHOWN).map((group) => (
            <Reason key={`${group.status} ${group.reason} ${group.bounce}`} group={group} />
          ))}
        </ul>
      )}
      {status && (
        <Link className="link sm" to="/campaigns/$id/recipients" params={{ id }} search={{ status }}>
          {t("sending.live.whyAll", { count: counted, number: formatNumber(counted) })}
        </Link>
      )}
    </section>
  );
}

function Reason({ group }: { group: Group }) {
  const { t, i18n } = useTranslation();
  const { status, reason, count, replies, bounce } = group;
  const key = `sending.live.reasons.${reason}`;
  return (
    <li>
      <span className="med">
        {i18n.exists(key) ? t(key as "sending.live.reasons.unclear") : t("sending.live.reasons.unclear")}
      </span>
      <b className="num strong">{formatNumber(count)}</b>
      {replies.slice(0, 1).map(
        ({ text }) =>
          text && (
            <span key={text} className="mono break">
              {text}
            </span>
          ),
      )}
      <span className="xs dim break">
        {[
          domainsOf(group),
          nextOf(group, t("sending.live.nextTry")),
          bounce === "hard" && t("sending.live.suppressed"),
          status === "unknown" && t("sending.live.unknownText"),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </li>
  );
}

const DOMAINS_SHOWN = 3;

function domainsOf({ domains }: Group): string {
  return domains
    .flatMap(({ domain }) => domain ?? [])
    .slice(0, DOMAINS_SHOWN)
    .join(", ");
}

function nextOf({ next_try_at: at }: Group, words: string): string | undefined {
  return at ? `${words} ${formatClock(at)}` : undefined;
}
