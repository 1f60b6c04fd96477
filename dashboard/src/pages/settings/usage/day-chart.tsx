import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UsageTimeseries } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatDate } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Chart } from "../../../kit/charts/chart.tsx";
import { Failure } from "../../../kit/states.tsx";
import { dayAfter } from "./months.ts";

type DayChartProps = {
  from: string;
  to: string;
  /** Days that are yet to come aren't days without mail. */
  asOf: string;
};

/** Mails a day by their kind. */
export function DayChart({ from, to, asOf }: DayChartProps) {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const found = useQuery(pageQuery("GET /v1/usage/timeseries", { query: { from, to, interval: "day" } }));
  if (found.error && !found.data)
    return (
      <Failure title={t("usage.chartUnreadable")} error={found.error} retry={() => void found.refetch()} />
    );
  return (
    <div className="sect">
      <div className="sect-h">
        <h3>{t("usage.byDay")}</h3>
        <span className="end">
          <Button size="sm" kind="quiet" onClick={() => setTable(!isTable)}>
            {t(isTable ? "usage.asChart" : "usage.asTable")}
          </Button>
        </span>
      </div>
      {found.data && <Days series={found.data} asOf={asOf} isTable={isTable} />}
    </div>
  );
}

const LOOKS = [
  { stream: "campaign", colour: "--chart-1", look: "filled" },
  { stream: "transactional", colour: "--chart-3", look: "line" },
  { stream: "automation", colour: "--chart-2", look: "line" },
] as const;

type DaysProps = { series: UsageTimeseries; asOf: string; isTable: boolean };

function Days({ series, asOf, isTable }: DaysProps) {
  const { t } = useTranslation();
  const data = series.data.filter(({ at }) => at <= asOf);
  const shown = LOOKS.filter(
    ({ stream }) => stream === "campaign" || data.some(({ by_stream }) => by_stream[stream] > 0),
  );
  return (
    <Chart
      // The chart counts in the browser's own time, so a day of the account is put where the day of that date begins there.
      times={data.map((_, at) => new Date(`${dayAfter(series.from, at)}T00:00:00`).getTime())}
      series={shown.map(({ stream, colour, look }) => ({
        label: t(`servers.streams.${stream}`),
        colour,
        look,
        values: data.map(({ by_stream }) => by_stream[stream]),
      }))}
      caption={t("usage.byDay")}
      timeHeading={t("usage.day")}
      height={180}
      isTable={isTable}
      formatAt={(time) => formatDate(localDay(time))}
    />
  );
}

function localDay(time: string): string {
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
