/** What a chart is given, and what draws it is. */
export type ChartSeries = {
  readonly label: string;
  /** A token, such as `--chart-1`. */
  readonly colour: `--${string}`;
  /** `filled` and `line` are told apart by the area below; `hatched` is also dashed, for what no person did. */
  readonly look: "filled" | "line" | "hatched";
  /** One for each of the times; null where nothing is known. */
  readonly values: readonly (number | null)[];
};

export type PlotProps = {
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly height: number;
  /** Told which step the pointer is at; null where it is elsewhere. */
  readonly onPoint: (at: number | null) => void;
};
