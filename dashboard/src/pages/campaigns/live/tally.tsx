/** The bar of a campaign's mail, and its sum in words, which always adds up to the recipients. */
import { useTranslation } from "react-i18next";
import type { CampaignStats } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";

const PARTS = ["sent", "deferred", "failed", "unknown", "queued", "skipped"] as const;
type Part = (typeof PARTS)[number];
export type Parts = Readonly<Record<Part, number>>;

/** Of those who wait, the deferred are told apart. */
export function partsOf(stats: Pick<CampaignStats, Part>): Parts {
  const { sent, deferred, failed, unknown, queued, skipped } = stats;
  const waiting = Math.min(deferred, queued);
  return { sent, deferred: waiting, failed, unknown, queued: queued - waiting, skipped: skipped.total };
}

export function TallyBar({ parts, size }: { parts: Parts; size: "sm" | "lg" }) {
  const { t } = useTranslation();
  const shown = PARTS.filter((part) => parts[part] > 0);
  const label = shown.map((part) => `${formatNumber(parts[part])} ${t(`tally.${part}`)}`).join(", ");
  return (
    <div className={`tally tally-${size}`} role="img" aria-label={label || t("sending.live.nothingYet")}>
      {shown.map((part) => (
        <i key={part} className={part} style={{ flex: `${parts[part]} 1 0` }} />
      ))}
    </div>
  );
}

export function TallySum({ parts, recipients }: { parts: Parts; recipients: number }) {
  const { t } = useTranslation();
  const shown = PARTS.filter((part) => parts[part] > 0 || part === "sent" || part === "queued");
  return (
    <div className="sum">
      <span>
        <b>{formatNumber(recipients)}</b> {t("tally.recipients")}
      </span>
      {shown.map((part, at) => (
        <span
          key={part}
          className={part === "skipped" ? "key hatch" : "key"}
          style={{ "--k": `var(--ledger-${part})` } as React.CSSProperties}
        >
          <span className="op">{at === 0 ? "=" : "+"}</span>
          <b>{formatNumber(parts[part])}</b> {t(`tally.${part}`)}
        </span>
      ))}
    </div>
  );
}
