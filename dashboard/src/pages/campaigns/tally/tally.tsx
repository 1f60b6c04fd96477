import "./tally.css";
import { useTranslation } from "react-i18next";
import type { CampaignStats } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";

const PARTS = ["sent", "deferred", "failed", "unknown", "queued", "skipped"] as const;
type Part = (typeof PARTS)[number];

export type TallyNumbers = Pick<CampaignStats, "recipients" | Exclude<Part, "skipped">> & {
  readonly skipped: { readonly total: number };
};

function countParts(stats: TallyNumbers): Record<Part, number> {
  return {
    sent: stats.sent,
    deferred: stats.deferred,
    failed: stats.failed,
    unknown: stats.unknown,
    // What is deferred waits in the queue, too.
    queued: Math.max(0, stats.queued - stats.deferred),
    skipped: stats.skipped.total,
  };
}

function Bar({ size, counts }: { size: "lg" | "sm"; counts: Record<Part, number> }) {
  return (
    <div className={`tally tally-${size}`} aria-hidden="true">
      {PARTS.map(
        (part) =>
          counts[part] > 0 && <i key={part} className={part} style={{ flex: `${counts[part]} 1 0` }} />,
      )}
    </div>
  );
}

/** The bar alone, with its parts for who hears it. */
export function TallyBar({ stats }: { stats: TallyNumbers }) {
  const words = useWords(countParts(stats));
  return (
    <div role="img" aria-label={words}>
      <Bar size="sm" counts={countParts(stats)} />
    </div>
  );
}

function useWords(counts: Record<Part, number>): string {
  const { t } = useTranslation();
  const parts = PARTS.filter((part) => counts[part] > 0);
  return parts.map((part) => `${formatNumber(counts[part])} ${t(`tally.${part}`)}`).join(", ");
}

/** The bar in a row of a table, with the number of recipients under it and its parts for who hears it. */
export function SmallTally({ stats }: { stats: TallyNumbers }) {
  const { t } = useTranslation();
  const counts = countParts(stats);
  const words = useWords(counts);
  return (
    <div className="tally-cell" title={words}>
      <Bar size="sm" counts={counts} />
      <span className="xs num mid">
        {formatNumber(stats.recipients)}
        <span className="sr">
          {" "}
          {t("tally.recipients")}: {words}
        </span>
      </span>
    </div>
  );
}

/** The bar that always adds up to the recipients, and its sum in words. */
export function Tally({ stats }: { stats: TallyNumbers }) {
  const { t } = useTranslation();
  const counts = countParts(stats);
  const shown = PARTS.filter((part) => counts[part] > 0);
  return (
    <>
      <Bar size="lg" counts={counts} />
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
