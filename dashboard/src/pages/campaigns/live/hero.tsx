/** The share that is done, how fast it goes and until when, and the sum that always adds up. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatClock, formatList, formatNumber, formatWhen } from "../../../i18n/format.ts";
import { LANGUAGE } from "../../../i18n/i18n.ts";
import { useServerNow } from "../campaign/use-server-now.ts";
import { Tally } from "../tally/tally.tsx";

const share = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Rounded down, since what is nearly done isn't done. While it is planned, the whole is an estimate. */
function shareDone({ progress }: Campaign, { recipients, queued }: CampaignStats): number {
  const total = Math.max(recipients, progress.total);
  return total === 0 ? 0 : Math.floor((1_000 * (recipients - queued)) / total) / 10;
}

export function Hero({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const percent = share.format(shareDone(campaign, stats));
  return (
    <section className="live-hero">
      <div className="row wrap live-facts">
        <div className="percent">
          {percent}
          <small>%</small>
        </div>
        <Facts campaign={campaign} />
      </div>
      <Tally stats={stats} />
      <p className="sm dim">
        {t("sending.live.addsUp")} {stats.deferred > 0 && t("sending.live.deferredText")}{" "}
        <Skipped stats={stats} />
        {campaign.progress.phase === "planning" && t("sending.live.planning")}
      </p>
      <DailyLimit campaign={campaign} />
      <Held campaign={campaign} />
      <Announcement
        text={t("sending.live.said", {
          percent,
          sent: formatNumber(stats.sent),
          recipients: formatNumber(stats.recipients),
          failed: formatNumber(stats.failed),
        })}
      />
    </section>
  );
}

/** What a new account may send today, on an instance with several. */
function DailyLimit({ campaign: { progress } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { phase, daily_limit: limit } = progress;
  if (!limit) return null;
  const numbers = { used: formatNumber(limit.used), allowed: formatNumber(limit.allowed) };
  if (phase !== "waiting") return <p className="sm dim">{t("sending.live.limited", numbers)}</p>;
  return (
    <p className="note warn" role="status">
      {t("sending.live.waiting", { ...numbers, until: formatWhen(limit.until) })}
    </p>
  );
}

/** For whom the sending server may be given no more today. */
function Held({ campaign: { progress } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { held } = progress;
  // The keys are of few providers; where their names aren't here yet, the keys say as much.
  const known = useQuery({
    ...query("GET /v1/providers", {}),
    enabled: held !== null && held.providers.length > 0,
  });
  if (!held) return null;
  const until = formatWhen(held.until);
  const nameOf = (key: string) =>
    known.data?.data.find((one) => one.key === key)?.name ??
    (key === "other" ? t("sending.live.otherMailboxes") : key);
  if (held.by === "plan")
    return (
      <p className="note warn" role="status">
        {t("sending.live.heldByPlan", { until })}
      </p>
    );
  return (
    <p className="note warn" role="status">
      {held.by === "provider"
        ? t("sending.live.heldByProvider", { providers: formatList(held.providers.map(nameOf)), until })
        : held.providers.length === 0
          ? t("sending.live.held", { until })
          : t("sending.live.heldFor", { providers: formatList(held.providers.map(nameOf)), until })}
    </p>
  );
}

const REASONS = ["unsubscribed", "suppressed", "invalid", "deleted", "canceled"] as const;

function Skipped({ stats: { skipped } }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const some = REASONS.filter((reason) => skipped[reason] > 0);
  if (some.length === 0) return null;
  const list = some.map((reason) =>
    t(`sending.live.skipped.${reason}`, { number: formatNumber(skipped[reason]) }),
  );
  const or = new Intl.ListFormat(LANGUAGE, { type: "disjunction" }).format(list);
  return <>{t("sending.live.skippedText", { reasons: or })} </>;
}

function Facts({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { status, started_at: started, progress } = campaign;
  const isSending = status === "sending";
  const now = useServerNow(campaign.id, isSending ? 10_000 : undefined);
  const speed = progress.per_second ?? 0;
  const minutes =
    started && now !== undefined ? Math.max(0, Math.floor((now - Date.parse(started)) / 60_000)) : 0;
  const facts = [
    [
      t("sending.live.speed"),
      !isSending || speed === 0
        ? "–"
        : speed < 1
          ? t("sending.live.aMinute", { number: formatNumber(Math.round(60 * speed)) })
          : t("sending.live.aSecond", { number: formatNumber(Math.round(speed)) }),
    ],
    [t("sending.live.doneAt"), isSending && progress.eta ? formatClock(progress.eta) : "–"],
    [
      t("sending.live.onRoadFor"),
      minutes < 1
        ? t("sending.live.underMinute")
        : minutes < 60
          ? t("sending.live.minutes", { number: minutes })
          : t("sending.live.hours", { hours: formatNumber(Math.floor(minutes / 60)), number: minutes % 60 }),
    ],
  ];
  return (
    <dl className="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt className="label">{label}</dt>
          <dd className="v num">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A screen reader would be kept busy by numbers that change twice a second. */
const SAY_EVERY_MS = 10_000;

function Announcement({ text }: { text: string }) {
  const latest = useRef(text);
  latest.current = text;
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), SAY_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="sr" role="status">
      {said}
    </p>
  );
}
