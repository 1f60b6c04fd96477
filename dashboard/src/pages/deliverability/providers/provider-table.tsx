import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { ProviderCounts } from "../../../api/openapi.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { TableSection } from "../table-section.tsx";
import { MEASURES, stepsOf, valuesOf } from "./measures.ts";
import { Sparkline } from "./sparkline.tsx";

const route = getRouteApi("/signed-in/deliverability/providers");

/** A row for each provider, and in it a number and a small chart for each measure. The table says what the charts show. */
export function ProviderTable({ counts }: { counts: ProviderCounts }) {
  const { t } = useTranslation();
  const heads = MEASURES.map(({ name }) => ({ label: t(`byProvider.${name}`) }));
  const steps = stepsOf(counts);
  return (
    <TableSection
      title={t("byProvider.title")}
      lead={t(counts.interval === "week" ? "byProvider.leadWeeks" : "byProvider.leadDays")}
      heads={[{ label: t("byProvider.provider") }, ...heads]}
      isTall
    >
      {counts.data.map((series) => (
        <ProviderRow key={series.provider} series={series} steps={steps} />
      ))}
    </TableSection>
  );
}

type RowProps = { series: ProviderCounts["data"][number]; steps: readonly string[] };

function ProviderRow({ series, steps }: RowProps) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const isCloser = search.provider === series.provider;
  return (
    <tr>
      <td className="c-main">
        <div className="stack tight">
          <Link
            to="/deliverability/providers"
            search={{ ...search, provider: isCloser ? undefined : series.provider }}
            className="link med"
            aria-current={isCloser ? "true" : undefined}
          >
            {series.name}
          </Link>
          <span className="xs dim num">
            {t("byProvider.sent", { count: series.totals.sent, number: formatNumber(series.totals.sent) })}
          </span>
        </div>
      </td>
      {MEASURES.map((measure) => {
        const count = measure.count(series.totals);
        const whole = measure.whole(series.totals);
        return (
          <td key={measure.name} data-label={t(`byProvider.${measure.name}`)}>
            <div className="measure">
              {count === null ? (
                <span className="dim">{t("byProvider.unknown")}</span>
              ) : (
                <>
                  <span className="row tight num">
                    <span className="med">{formatNumber(count)}</span>
                    <span className="xs dim">{whole > 0 && formatFineShare(count / whole)}</span>
                  </span>
                  <Sparkline values={valuesOf(steps, series.points, measure)} colour={measure.colour} />
                </>
              )}
            </div>
          </td>
        );
      })}
    </tr>
  );
}
