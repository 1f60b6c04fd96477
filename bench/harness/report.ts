import type { Figure, Result } from "./bench.ts";
import { rate, share } from "./numbers.ts";

/** Formats a figure as a line, with its details below. */
export function describeResult({ figure, headline, details }: Result): string {
  const line = `${figure.ok ? "ok   " : "SHORT"} ${figure.name}: ${headline ?? describeRates(figure)}`;
  return [line, ...details.map((detail) => `        ${detail}`)].join("\n");
}

function describeRates({ ours, reference, ratio, asked }: Figure): string {
  if (reference === null || ratio === null) return `ours ${rate(ours)}, asked ≥ ${rate(asked)}`;
  return `ours ${rate(ours)}, reference ${rate(reference)}, ratio ${share(ratio)}, asked ≥ ${share(asked)}`;
}

export function toJson(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => ({
    ...figure,
    ours: rounded(figure.ours),
    reference: rounded(figure.reference),
    ratio: rounded(figure.ratio),
  }));
  return JSON.stringify(rows, null, 2);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}
