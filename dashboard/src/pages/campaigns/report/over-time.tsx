import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats, CampaignTimeseries } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatDay, formatNumber, formatWhen } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Chart, type ChartSeries } from "../../../kit/charts/chart.tsx";
import { seenOf } from "./seen.ts";

const HOUR_MS = 3_600_000;
const FIRST_HOURS = 48;
/** Beyond a week an hour is too narrow to be seen. */
const BY_HOUR_MS = 7 * 24 * HOUR_MS;

type Span = "hours" | "all";

export function OverTime({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const [span, setSpan] = useState<Span>("hours");
  const [isTable, setTable] = useState(false);
  const isTracked = (["opens", "clicks"] as const).some((what) => seenOf(campaign, stats, what) !== "not");
  if (!isTracked) return null;
  return (
    <section className="sect over-time">
      <div className="sect-h">
        <h2>{t("report.overTime.heading")}</h2>
        <span className="end row wrap no-print">
          <fieldset className="seg" aria-label={t("report.overTime.span")}>
            {(["hours", "all"] as const).map((one) => (
              <button key={one} type="button" aria-pressed={span === one} onClick={() => setSpan(one)}>
                {t(`report.overTime.${one}`)}
              </button>
            ))}
          </fieldset>
          <Button size="sm" kind="quiet" onClick={() => setTable(!isTable)}>
            {t(isTable ? "report.overTime.asChart" : "report.overTime.asTable")}
          </Button>
        </span>
      </div>
      <Lines campaign={campaign} stats={stats} span={span} isTable={isTable} />
      <Machines stats={stats} />
    </section>
  );
}

type LinesProps = { campaign: Campaign; stats: CampaignStats; span: Span; isTable: boolean };

function Lines({ campaign, stats, span, isTable }: LinesProps) {
  const { t } = useTranslation();
  const interval = span === "all" && ageOf(campaign, stats) > BY_HOUR_MS ? "day" : "hour";
  const { data: series } = useQuery({
    ...query("GET /v1/campaigns/{id}/stats/timeseries", {
      path: { id: campaign.id },
      query: { interval, time_zone: ZONE, ...rangeOf(campaign, span) },
    }),
    placeholderData: (before) => before,
  });
  if (!series) return <div className="over-time-room" />;
  // Hours that are yet to come aren't hours without opens.
  const data = series.data.filter(({ start }) => start <= series.as_of);
  const lines = linesOf(data, {
    opens: t("report.overTime.opens"),
    clicks: t("report.overTime.clicks"),
    machine_opens: t("report.overTime.machineOpens"),
    machine_clicks: t("report.overTime.machineClicks"),
  }).filter(({ key }) => seenOf(campaign, stats, key.endsWith("opens") ? "opens" : "clicks") !== "not");
  if (data.length === 0) return <p className="dim">{t("report.overTime.nothing")}</p>;
  return (
    <>
      <Chart
        times={data.map(({ start }) => Date.parse(start))}
        series={lines}
        caption={t("report.overTime.caption")}
        timeHeading={t("report.overTime.time")}
        formatAt={series.interval === "day" ? formatDay : formatWhen}
        isTable={isTable}
      />
      {series.has_more && (
        <p className="sm dim">{t("report.overTime.more", { number: formatNumber(data.length) })}</p>
      )}
    </>
  );
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function rangeOf({ started_at }: Campaign, span: Span) {
  if (!started_at) return {};
  if (span === "all") return { from: started_at };
  const to = new Date(Date.parse(started_at) + (FIRST_HOURS - 1) * HOUR_MS).toISOString();
  return { from: started_at, to };
}

/** How long after the launch the last thing happened. */
function ageOf({ started_at }: Campaign, { last_open_at, last_click_at }: CampaignStats): number {
  const last = Math.max(...[last_open_at, last_click_at].map((time) => (time ? Date.parse(time) : 0)));
  return started_at ? last - Date.parse(started_at) : 0;
}

type Bucket = CampaignTimeseries["data"][number];
type Kind = "opens" | "clicks" | "machine_opens" | "machine_clicks";
const LOOKS: readonly (Pick<ChartSeries, "colour" | "look"> & { readonly key: Kind })[] = [
  { key: "opens", colour: "--chart-1", look: "filled" },
  { key: "clicks", colour: "--chart-3", look: "line" },
  { key: "machine_opens", colour: "--chart-machine", look: "hatched" },
  { key: "machine_clicks", colour: "--chart-2", look: "hatched" },
];

/** What machines clicked is rare: it has a line only where there is something. */
function linesOf(data: readonly Bucket[], labels: Readonly<Record<Kind, string>>) {
  const isShown = ({ key }: { key: Kind }) => key !== "machine_clicks" || data.some((one) => one[key] > 0);
  return LOOKS.filter(isShown).map((look) => ({
    ...look,
    label: labels[look.key],
    values: data.map((one) => one[look.key]),
  }));
}

function Machines({ stats: { opens } }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const count = opens.machine_unique ?? opens.machine_total;
  if (count === 0) return null;
  const key = opens.machine_unique === null ? "machineTimes" : "machines";
  return <p className="sm dim">{t(`report.overTime.${key}`, { count, number: formatNumber(count) })}</p>;
}
