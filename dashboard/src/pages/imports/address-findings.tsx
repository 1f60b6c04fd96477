/** What the import found out about its addresses: how many may not be reached, why, and the rows to download. */
import { Download } from "lucide-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../api/account.ts";
import { isMoving } from "../../api/import-status.ts";
import type { Import } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";

const RESULTS = ["ok", "risky", "bad", "unknown"] as const;

export function AddressFindings({ of: one }: { of: Import }) {
  const { t, i18n } = useTranslation();
  if (!one.checks || isMoving(one)) return null;
  const { reasons, ...counts } = one.checks;
  if (counts.risky + counts.bad + counts.unknown === 0) return null;
  const isSkipped = one.options.checks === "skip_bad";
  const listed = counts.risky + (isSkipped ? 0 : counts.bad);
  const wordsOf = (reason: string) => {
    const key = `imports.checks.reasons.${reason}`;
    return i18n.exists(key) ? t(key as "imports.checks.label") : reason.replaceAll("_", " ");
  };
  const commonest = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  return (
    <section className="sect" aria-label={t("imports.checks.title")}>
      <div className="sect-h">
        <h2>{t("imports.checks.title")}</h2>
        {listed > 0 && (
          <a
            className="btn btn-sm end"
            href={ofAccount(`/v1/imports/${encodeURIComponent(one.id)}/checks`)}
            download
          >
            <Icon of={Download} />
            {t("imports.checks.download", { count: listed, number: formatNumber(listed) })}
          </a>
        )}
      </div>
      <dl className="kv import-facts">
        {RESULTS.map((result) => (
          <Fragment key={result}>
            <dt>{t(`imports.checks.results.${result}`)}</dt>
            <dd>
              <b className="num">{formatNumber(counts[result])}</b>
              {result === "bad" && counts.bad > 0 && (
                <span className="dim">
                  {" "}
                  {t(isSkipped ? "imports.checks.leftOut" : "imports.checks.kept")}
                </span>
              )}
            </dd>
          </Fragment>
        ))}
        <dt>{t("imports.checks.why")}</dt>
        <dd>
          <ul className="row wrap tags">
            {commonest.map(([reason, count]) => (
              <li key={reason} className="badge">
                {wordsOf(reason)} <span className="num">{formatNumber(count)}</span>
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </section>
  );
}
