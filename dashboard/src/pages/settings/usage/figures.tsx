/** The sums of a month, for the account itself and for an operator who looks at it. */
import { useTranslation } from "react-i18next";
import type { Usage } from "../../../api/openapi.ts";
import { formatNumber, formatShare } from "../../../i18n/format.ts";
import { formatMoney } from "../../../i18n/money.ts";

export function UsageFigures({ usage }: { usage: Usage }) {
  const { t } = useTranslation();
  const { sent, sandbox, cost, month } = usage;
  const { forecast } = month;
  // A month that is over has no forecast.
  const isPresent = usage.from === month.from && usage.to === month.to;
  return (
    <div className="stats usage-stats">
      <Figure
        label={t("usage.sent")}
        value={formatNumber(sent)}
        note={sandbox > 0 && t("usage.sandbox", { count: sandbox, number: formatNumber(sandbox) })}
      />
      {isPresent && (
        <Figure
          label={t("usage.forecast")}
          value={formatNumber(forecast.sent)}
          note={
            forecast.cost
              ? t("usage.forecastCost", { price: formatMoney(forecast.cost.amount, forecast.cost.currency) })
              : t("usage.forecastNote")
          }
        />
      )}
      {cost && (
        <Figure
          label={t("usage.cost")}
          value={formatMoney(cost.amount, cost.currency)}
          note={t("usage.per1000", { price: formatMoney(cost.per_1000, cost.currency) })}
        />
      )}
    </div>
  );
}

function Figure({ label, value, note }: { label: string; value: string; note: string | false }) {
  return (
    <div className="stat">
      <span className="d">{label}</span>
      <span className="v num">{value}</span>
      {note && <span className="d">{note}</span>}
    </div>
  );
}

const STREAMS = ["campaign", "transactional", "automation"] as const;
const VIAS = ["instance", "own"] as const;

export function UsageShares({ usage: { sent, by_stream, by_via } }: { usage: Usage }) {
  const { t } = useTranslation();
  return (
    <div className="pair usage-shares">
      <Shares
        title={t("usage.byStream")}
        whole={sent}
        parts={STREAMS.map((stream) => [t(`servers.streams.${stream}`), by_stream[stream]])}
      />
      <Shares
        title={t("usage.byVia")}
        whole={sent}
        parts={VIAS.map((via) => [t(`usage.via.${via}`), by_via[via]])}
      />
    </div>
  );
}

type SharesProps = { title: string; whole: number; parts: readonly (readonly [string, number])[] };

function Shares({ title, whole, parts }: SharesProps) {
  return (
    <div className="stack-4">
      <h3>{title}</h3>
      <ul className="stack-4">
        {parts.map(([label, count]) => (
          <li key={label} className="stack tight">
            <div className="row between sm">
              <span>{label}</span>
              <span className="num">
                <b className="strong">{formatNumber(count)}</b>{" "}
                <span className="dim">{formatShare(whole === 0 ? 0 : count / whole)}</span>
              </span>
            </div>
            <div className="meter" aria-hidden="true">
              <i style={{ width: `${whole === 0 ? 0 : (count / whole) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
