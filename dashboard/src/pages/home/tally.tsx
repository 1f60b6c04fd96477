import { useTranslation } from "react-i18next";
import type { CampaignStats } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";

const PARTS = ["sent", "deferred", "failed", "unknown", "queued", "skipped"] as const;
type Part = (typeof PARTS)[number];

/** The bar that always adds up to the recipients, and its sum in words. */
export function Tally({ stats }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const counts: Record<Part, number> = {
    sent: stats.sent,
    deferred: stats.deferred,
    failed: stats.failed,
    unknown: stats.unknown,
    // What is deferred waits in the queue, too.
    queued: Math.max(0, stats.queued - stats.deferred),
    skipped: stats.skipped.total,
  };
  const shown = PARTS.filter((part) => counts[part] > 0);
  return (
    <>
      <div className="tally tally-lg" aria-hidden="true">
        {shown.map((part) => (
          <i key={part} className={part} style={{ flex: `${counts[part]} 1 0` }} />
        ))}
      </div>
      <div className="sum">
        <span>
          <b>{formatNumber(stats.recipients)}</b> {t("tally.recipients")}
        </span>
        {shown.map((part, at) => (
          <span key={part} className={`key key-${part}`}>
            <span className="op">{at === 0 ? "=" : "+"}</span>
            <b>{formatNumber(counts[part])}</b> {t(`tally.${part}`)}
          </span>
        ))}
      </div>
    </>
  );
}
