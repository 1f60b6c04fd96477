/** The types that every scorer is made of. `run.ts` lists all scorers. */
export type Scorer = {
  readonly name: string;
  readonly summary: string;
  /** The file or folder of the corpora that the scorer reads, if any; where that is missing, the scorer is left out. */
  readonly needs?: string;
  readonly score: (path: string) => Score | Promise<Score>;
};

export type Score = {
  readonly figures: readonly Figure[];
  /** The lines below the figures: what was counted, and each case that differed. */
  readonly details: readonly string[];
};

/** A figure whose `asked` is the least that `ours` may be; null where nothing is asked. */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  readonly reference: number | null;
  readonly ratio: number | null;
  readonly asked: number | null;
  readonly ok: boolean;
};

/** Makes a figure of a share in per cent, rounded down, so that 100 means all cases. */
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
