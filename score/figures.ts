/** What every scorer is made of. `run.ts` lists them all. */
export type Scorer = {
  readonly name: string;
  readonly summary: string;
  /** The file or folder of the corpora that it reads, if it reads one; where that is missing, the scorer is left out. */
  readonly needs?: string;
  readonly score: (path: string) => Score | Promise<Score>;
};

export type Score = {
  readonly figures: readonly Figure[];
  /** Printed below the figures: what was counted, and each case that went another way. */
  readonly details: readonly string[];
};

/** `asked` is the least that `ours` may be; null where the figure is there to be known. */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  readonly reference: number | null;
  readonly ratio: number | null;
  readonly asked: number | null;
  readonly ok: boolean;
};

/** A share of the cases in per cent, rounded down, so that 100 means all of them. */
export function percentFigure(name: string, count: number, total: number, asked: number | null): Figure {
  const ours = total === 0 ? 0 : Math.floor((count / total) * 10_000) / 100;
  return { name, ours, reference: null, ratio: null, asked, ok: total > 0 && ours >= (asked ?? 0) };
}

export function describeFigure({ name, ours, reference, ratio, asked, ok }: Figure): string {
  const parts = [
    `ours ${ours} %`,
    `reference ${reference === null ? "none" : `${reference} %`}`,
    `ratio ${ratio ?? "none"}`,
    `asked ${asked === null ? "nothing" : `≥ ${asked} %`}`,
  ];
  return `${ok ? "ok   " : "SHORT"} ${name}: ${parts.join(", ")}`;
}
