/** How many get it, and why the others don't, as a bar and a sum that adds up. */
import { useTranslation } from "react-i18next";
import type { CampaignAudience } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";

const RULES = [
  "not_in_segment",
  "not_in_topic",
  "pending",
  "unsubscribed",
  "bounced",
  "complained",
  "opted_out",
  "paused",
  "dormant",
  "suppressed",
] as const;
type Rule = (typeof RULES)[number];
const isRule = (rule: string): rule is Rule => (RULES as readonly string[]).includes(rule);

export function AudienceSum({ audience }: { audience: CampaignAudience }) {
  const { t } = useTranslation();
  const { on_list: onList, excluded, will_get: willGet } = audience;
  const left = onList - willGet;
  return (
    <div className="stack">
      <div className="tally" aria-hidden="true">
        {willGet > 0 && <i className="sent" style={{ flex: `${willGet} 1 0` }} />}
        {left > 0 && <i className="skipped" style={{ flex: `${left} 1 0` }} />}
      </div>
      <div className="sum">
        <span>
          <b>{formatNumber(onList)}</b> {t("sending.audience.onList", { count: onList })}
        </span>
        {excluded.map(({ rule, count }) => (
          <span key={rule} className="key hatch">
            <span className="op">−</span>
            <b>{formatNumber(count)}</b> {isRule(rule) ? t(`sending.audience.rules.${rule}`) : rule}
          </span>
        ))}
        <span className="key" style={{ "--k": "var(--ledger-sent)" } as React.CSSProperties}>
          <span className="op">=</span>
          <b>{formatNumber(willGet)}</b> {t("sending.audience.willGet", { count: willGet })}
        </span>
      </div>
    </div>
  );
}
