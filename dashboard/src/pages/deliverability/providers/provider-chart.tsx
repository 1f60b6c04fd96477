import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderCounts } from "../../../api/openapi.ts";
import { formatDate } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Chart } from "../../../kit/charts/chart.tsx";
import { MEASURES, stepsOf, valuesOf } from "./measures.ts";

type ChartProps = { series: ProviderCounts["data"][number]; counts: ProviderCounts };

/** One provider's measures on one scale. What isn't known has no line. */
export function ProviderChart({ series, counts }: ChartProps) {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const steps = stepsOf(counts);
  const known = MEASURES.filter(({ count }) => count(series.totals) !== null);
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{series.name}</h2>
        <span className="end">
          <Button size="sm" kind="quiet" onClick={() => setTable(!isTable)}>
            {t(isTable ? "byProvider.asChart" : "byProvider.asTable")}
          </Button>
        </span>
      </div>
      {known.length < MEASURES.length && <p className="sm mid">{t("byProvider.unknownText")}</p>}
      <Chart
        times={steps.map(localMs)}
        series={known.map((measure) => ({
          label: t(`byProvider.${measure.name}`),
          colour: measure.colour,
          look: measure.name === "delivered" ? "filled" : "line",
          values: valuesOf(steps, series.points, measure),
        }))}
        caption={t("byProvider.chartOf", { name: series.name })}
        timeHeading={t(counts.interval === "week" ? "byProvider.week" : "byProvider.day")}
        height={180}
        isTable={isTable}
        formatAt={(time) => formatDate(localDay(time))}
      />
    </section>
  );
}

/** The chart counts in the browser's own time, so a day is put where it begins there. */
function localMs(step: string): number {
  return new Date(`${step.slice(0, 10)}T00:00:00`).getTime();
}

function localDay(time: string): string {
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
