import { useTranslation } from "react-i18next";
import type { MailTest } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Verdict } from "../verdict.tsx";
import { formatPoints } from "./test-state.tsx";

type MailTestReport = NonNullable<MailTest["report"]>;

/** The score, and each group of what was looked at with what to mend first. */
export function TestReport({ report }: { report: MailTestReport }) {
  const { t } = useTranslation();
  const { score, deductions, groups } = report;
  const cost = new Map(deductions.map(({ key, points }) => [key, points]));
  return (
    <>
      <p className="score">
        {formatPoints(score)} <small>{t("mailTests.ofTen")}</small>
      </p>
      {groups
        .filter(({ items }) => items.length > 0)
        .map(({ key, items }) => (
          <section key={key} className="panel">
            <div className="verdicts-h">
              <h2>{t(`mailTests.groups.${key}`)}</h2>
              <span className="sm dim">
                {t("mailTests.groupSummary", {
                  good: formatNumber(items.filter(({ status }) => status === "pass").length),
                  all: formatNumber(items.length),
                })}
              </span>
            </div>
            <ul>
              {items
                .toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status))
                .map(({ key: item, ...verdict }) => (
                  <Verdict key={item} {...verdict} aside={<Points points={cost.get(item)} />} />
                ))}
            </ul>
          </section>
        ))}
    </>
  );
}

const ORDER = ["fail", "warn", "unknown", "pass"];

function Points({ points }: { points: number | undefined }) {
  const { t } = useTranslation();
  if (!points) return null;
  return <span className="badge danger num">{t("mailTests.points", { points: formatPoints(points) })}</span>;
}
