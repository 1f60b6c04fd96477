/** The lines of a chart, drawn by uPlot on a canvas in the colours of the page, which it follows. */
import { useEffect, useEffectEvent, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatNumber } from "../../i18n/format.ts";
import { LANGUAGE } from "../../i18n/i18n.ts";
import type { ChartSeries, PlotProps } from "./chart-series.ts";
import { hatch, watchColours } from "./plot-colours.ts";

export function Plot({ times, series, height, onPoint }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(null);
  const dataOf = () =>
    [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
  const draw = useEffectEvent((element: HTMLElement, colourOf: (token: string) => string) => {
    drawn.current?.destroy();
    const size = { width: element.clientWidth, height };
    drawn.current = new uPlot({ ...size, ...optionsOf(series, colourOf, onPoint) }, dataOf(), element);
  });
  const update = useEffectEvent(() => drawn.current?.setData(dataOf()));

  // Only what a line looks like needs another chart; other numbers are put into the one that is there.
  const looks = series.map(({ label, colour, look }) => `${label} ${colour} ${look}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is made anew where lines look otherwise
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const stopWatching = watchColours(element, (colourOf) => draw(element, colourOf));
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== drawn.current?.width) drawn.current?.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      stopWatching();
      observer.disconnect();
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [looks, height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what is drawn
  useEffect(() => update(), [times, series]);
  return <div ref={holder} className="plot" />;
}

type ColourOf = (token: string) => string;

const WHOLE_STEPS = [1, 2, 5].flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power));
const LEAST_HIGH = 4;

function optionsOf(
  series: readonly ChartSeries[],
  colourOf: ColourOf,
  onPoint: PlotProps["onPoint"],
): Omit<uPlot.Options, "width" | "height"> {
  const axis = {
    stroke: colourOf("--ink-3"),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    // uPlot puts dates on the axis by the browser's own time zone, as all times of the dashboard are.
    scales: {
      x: { range: ({ data }, first, last) => rangeOf(first, last, data?.[0]?.length === 1) },
      y: { range: (_, __, most) => [0, Math.max(LEAST_HIGH, most * 1.08)] },
    },
    // The last mark may stand at the very end, with half its words beside the chart.
    padding: [8, 30, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 90,
        values: (_, splits) => splits.map((at, index) => nameTime(at, index === 0)),
      },
      {
        ...axis,
        grid: { stroke: colourOf("--chart-grid"), width: 1, dash: [2, 3] },
        incrs: WHOLE_STEPS.toSorted((one, other) => one - other),
        values: (_, splits) => splits.map(formatNumber),
        size: (_, labels) => 16 + 6.5 * Math.max(2, ...(labels ?? []).map((label) => label.length)),
        gap: 6,
      },
    ],
    series: [{}, ...series.map((one) => styleOf(one, colourOf))],
  };
}

const HALF_HOUR = 1_800;

/** Around one step alone uPlot would draw years, with marks that have nothing to do with it. */
function rangeOf(first: number, last: number, isAlone: boolean): uPlot.Range.MinMax {
  return isAlone ? [first - HALF_HOUR, first + HALF_HOUR] : [first, last];
}

function styleOf({ label, colour, look }: ChartSeries, colourOf: ColourOf): uPlot.Series {
  const stroke = colourOf(colour);
  // One step makes no line, so it is a point.
  const points = { show: ({ data }: uPlot) => data[0].length === 1, size: 7, fill: stroke };
  const style = { label, stroke, width: 1.75, points };
  if (look === "line") return style;
  if (look === "filled") return { ...style, fill: translucent(stroke) };
  return { ...style, dash: [3, 3], fill: (plot) => hatch(plot.ctx, stroke) };
}

const translucent = (colour: string) => `color-mix(in srgb, ${colour} 14%, transparent)`;

const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat(LANGUAGE, { weekday: "short", day: "numeric", month: "short" });

const dayAndClock = new Intl.DateTimeFormat(LANGUAGE, {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** A day is named at the first mark and where one begins, and the hours between by the clock. */
function nameTime(seconds: number, isFirst: boolean): string {
  const at = new Date(seconds * 1_000);
  if (at.getHours() === 0 && at.getMinutes() === 0) return dayName.format(at);
  return (isFirst ? dayAndClock : clock).format(at);
}
