import { EyeOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { noteOf, seenOf } from "./seen.ts";

type Step = {
  readonly key: string;
  readonly label: string;
  /** Null where it isn't known. */
  readonly count: number | null;
  readonly note: string;
};

/** How far the mail came, step by step; the bars are parts of the recipients. */
export function Funnel({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const steps = useSteps(campaign, stats);
  const note = noteOf(campaign, stats);
  const heights = steps.map(({ count }) => heightOf(count ?? 0, stats.recipients));
  return (
    <section className="funnel-box" aria-label={t("report.funnel.label")}>
      {note && (
        <p className="note">
          <Icon of={EyeOff} />
          {t(`report.untracked.${note}`)}
        </p>
      )}
      <dl className="funnel">
        {steps.map(({ key, label, count, note: words }, at) => (
          <div key={key} className="funnel-step">
            <dt className="label">{label}</dt>
            <dd className="v num" data-step={key}>
              {count === null ? t("report.funnel.none") : formatNumber(count)}
            </dd>
            <dd className="xs dim">{words}</dd>
            <dd className="funnel-bar" aria-hidden="true">
              <Bar from={heights[at] ?? 0} to={heights[at + 1] ?? heights[at] ?? 0} at={at} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function useSteps(campaign: Campaign, stats: CampaignStats): readonly Step[] {
  const { t } = useTranslation();
  const { recipients, sent, failed, unknown, queued, skipped, delivered, unsubscribes, rates } = stats;
  const numbers = {
    sent: formatNumber(sent + failed + unknown),
    skipped: formatNumber(skipped.total),
    queued: formatNumber(queued),
  };
  const who = queued > 0 ? "neverSent" : skipped.total > 0 ? "sentTo" : "sentToAll";
  const traffic = (what: "opens" | "clicks"): Step => {
    const { human_unique, total, machine_total } = stats[what];
    const seen = seenOf(campaign, stats, what);
    const label = t(`report.funnel.${seen === "times" ? what : what === "opens" ? "opened" : "clicked"}`);
    if (seen === "not") return { key: what, label, count: null, note: t("report.funnel.untracked") };
    if (seen === "times")
      return { key: what, label, count: total - machine_total, note: t("report.funnel.anonymous") };
    if (seen === "agreed")
      return { key: what, label, count: human_unique, note: t("report.funnel.consented") };
    const rate = (what === "opens" ? rates.open : rates.click) ?? 0;
    return {
      key: what,
      label,
      count: human_unique,
      note: t("report.funnel.ofDelivered", { rate: formatFineShare(rate) }),
    };
  };
  return [
    {
      key: "recipients",
      label: t("report.funnel.recipients"),
      count: recipients,
      note: t(`report.funnel.${who}`, numbers),
    },
    {
      key: "delivered",
      label: t("report.funnel.delivered"),
      count: delivered,
      note: t("report.funnel.ofSent", { rate: formatFineShare(rates.delivery) }),
    },
    traffic("opens"),
    traffic("clicks"),
    {
      key: "unsubscribed",
      label: t("report.funnel.unsubscribed"),
      count: unsubscribes,
      note: t("report.funnel.ofDelivered", { rate: formatFineShare(rates.unsubscribe) }),
    },
  ];
}

const HEIGHT = 56;
const LEAST = 2;
const STRENGTHS = [0.95, 0.8, 0.62, 0.46, 0.34];

/** The height above the bar: nothing is so small that it isn't a line. */
function heightOf(count: number, whole: number): number {
  const share = whole === 0 ? 0 : Math.min(1, count / whole);
  return HEIGHT - Math.max(LEAST, HEIGHT * share);
}

function Bar({ from, to, at }: { from: number; to: number; at: number }) {
  const line = `M0 ${from}C40 ${from} 60 ${to} 100 ${to}V${HEIGHT}H0Z`;
  return (
    <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={line} opacity={STRENGTHS[at]} />
    </svg>
  );
}
