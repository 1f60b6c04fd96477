/**
 * Numbers over time, as lines and as a table that says the same. What draws the lines is loaded when it is first wanted; where
 * that fails, the table is shown.
 */
import { type ComponentType, useEffect, useState } from "react";
import { formatNumber, formatWhen } from "../../i18n/format.ts";
import "./chart.css";
import type { ChartSeries, PlotProps } from "./chart-series.ts";

export type { ChartSeries } from "./chart-series.ts";

export type ChartProps = {
  /** The beginning of each step, in milliseconds, the earliest first. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** What the table is called, and its first column. */
  readonly caption: string;
  readonly timeHeading: string;
  readonly height?: number;
  readonly isTable?: boolean;
  readonly formatAt?: (time: string) => string;
};

export function Chart(props: ChartProps) {
  const { times, series, height = 220, isTable = false, formatAt = formatWhen } = props;
  const [at, setAt] = useState<number | null>(null);
  const { Plot, isMissing } = usePlot();
  const isShown = !isTable && !isMissing;
  return (
    <div className="chart-box">
      <ChartLegend series={series} at={isShown ? at : null} />
      {isShown && (
        <div className="chart-plot" style={{ minHeight: height }} aria-hidden="true">
          {Plot && <Plot times={times} series={series} height={height} onPoint={setAt} />}
          <p className="chart-at xs dim num">{at !== null && formatAt(isoOf(times[at]))}</p>
        </div>
      )}
      <div className={isShown ? "sr" : "tw chart-table"}>
        <ChartTable {...props} formatAt={formatAt} />
      </div>
    </div>
  );
}

/** What each line means, and its number where the pointer is. */
function ChartLegend({ series, at }: { series: readonly ChartSeries[]; at: number | null }) {
  return (
    <div className="chart-legend" aria-hidden="true">
      {series.map(({ label, colour, look, values }) => (
        <span key={label}>
          <i className={look} style={{ color: `var(${colour})` }} />
          {label}
          {at !== null && <b className="num">{formatNumber(values[at] ?? 0)}</b>}
        </span>
      ))}
    </div>
  );
}

function ChartTable({ times, series, caption, timeHeading, formatAt = formatWhen }: ChartProps) {
  return (
    <table>
      <caption className="sr">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{timeHeading}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col" className="num">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => (
          <tr key={time}>
            <th scope="row">{formatAt(isoOf(time))}</th>
            {series.map(({ label, values }) => (
              <td key={label} className="num">
                {formatNumber(values[at] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isoOf = (time = 0) => new Date(time).toISOString();

let loading: Promise<ComponentType<PlotProps>> | undefined;
let loaded: ComponentType<PlotProps> | undefined;

async function loadPlot(): Promise<ComponentType<PlotProps>> {
  loaded = (await import("./plot.tsx")).Plot;
  return loaded;
}

function usePlot() {
  const [Plot, setPlot] = useState<ComponentType<PlotProps> | undefined>(() => loaded);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (loaded) return;
    loading ??= loadPlot();
    loading.then(
      (known) => setPlot(() => known),
      () => {
        // After an upgrade its file is gone; the next page tries again.
        loading = undefined;
        setMissing(true);
      },
    );
  }, []);
  return { Plot, isMissing };
}
