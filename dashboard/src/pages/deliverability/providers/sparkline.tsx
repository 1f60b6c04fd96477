const WIDTH = 120;
const HEIGHT = 26;
/** Leaves room for half of the line's width. */
const EDGE = 1;

/** A line without axes, to its own scale. Whoever can't see it has the number beside it. */
export function Sparkline({ values, colour }: { values: readonly number[]; colour: string }) {
  const most = Math.max(1, ...values);
  const stepX = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const yOf = (value: number) => HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
  const points = (values.length === 1 ? [...values, ...values] : values).map((value, at) => {
    const x = values.length === 1 ? at * WIDTH : at * stepX;
    return `${x.toFixed(1)},${yOf(value).toFixed(1)}`;
  });
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ color: `var(${colour})` }}
    >
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
