/** Measures ours and a reference alternately, so that what slows the machine for a while slows both. */
import type { Result, Setting } from "./bench.ts";
import type { Sample } from "./meter.ts";
import { median, rate, share, spread } from "./numbers.ts";

/** A promise that a bench must show to be kept. */
export type Promised = {
  readonly name: string;
  /** The name of one unit that is counted, such as "request" or "job". */
  readonly unit: string;
  /** The least ratio to the reference that was promised. */
  readonly asked: number;
};

export type Contest = Promised & {
  readonly ours: () => Promise<Sample>;
  readonly reference: () => Promise<Sample>;
};

export type Samples = { readonly ours: readonly Sample[]; readonly reference: readonly Sample[] };

export async function runInTurns(contest: Contest, { sizes, note }: Setting): Promise<Samples> {
  const ours: Sample[] = [];
  const reference: Sample[] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    const a = await contest.ours();
    const b = await contest.reference();
    ours.push(a);
    reference.push(b);
    note(
      `${contest.name}, round ${round} of ${sizes.rounds}: ` +
        `ours ${rate(a.perSecond)}, reference ${rate(b.perSecond)}, ratio ${share(a.perSecond / b.perSecond)}`,
    );
  }
  return { ours, reference };
}

/** Judges by the median of the rounds' own ratios, because the two runs of a round shared the same minute. */
export function judgeContest({ name, unit, asked }: Promised, { ours, reference }: Samples): Result {
  const ratios = ours.map((one, round) => one.perSecond / (reference[round]?.perSecond ?? Number.NaN));
  const ratio = median(ratios);
  const [oursRate, referenceRate] = [median(speeds(ours)), median(speeds(reference))];
  return {
    figure: { name, ours: oursRate, reference: referenceRate, ratio, asked, ok: ratio >= asked },
    unit,
    details: [
      `ratio of each round ${spread(ratios, share)}`,
      `ours      ${describe(ours, unit)}`,
      `reference ${describe(reference, unit)}`,
    ],
  };
}

/** Judges like `judgeContest`, but rates that something else measured and of which nothing more is known. */
export function judgeRates(
  { name, unit, asked }: Promised,
  ours: { readonly called: string; readonly rates: readonly number[] },
  reference: { readonly called: string; readonly rates: readonly number[] },
): Result {
  const ratios = ours.rates.map((one, round) => one / (reference.rates[round] ?? Number.NaN));
  const ratio = median(ratios);
  const [oursRate, referenceRate] = [median(ours.rates), median(reference.rates)];
  return {
    figure: { name, ours: oursRate, reference: referenceRate, ratio, asked, ok: ratio >= asked },
    unit,
    details: [
      `ratio of each round ${spread(ratios, share)}`,
      ...[ours, reference].map(({ called, rates }) => `${called} ${spread(rates, rate)}`),
    ],
  };
}

/** Judges a figure that must reach a number, not a share of another figure. */
export function judgeAlone(name: string, unit: string, asked: number, samples: readonly Sample[]): Result {
  const ours = median(speeds(samples));
  return {
    figure: { name, ours, reference: null, ratio: null, asked, ok: ours >= asked },
    unit,
    details: [`ours      ${describe(samples, unit)}`],
  };
}

function describe(samples: readonly Sample[], unit: string): string {
  const cpu = (of: (sample: Sample) => number | null) => {
    const known = samples.map(of).filter((value) => value !== null);
    return known.length > 0 ? `${median(known).toFixed(3)} ms` : "unknown";
  };
  return (
    `${spread(speeds(samples), rate)}; CPU a ${unit}: server ${cpu((one) => one.serverCpuMs)}, ` +
    `PostgreSQL ${cpu((one) => one.databaseCpuMs)}; WAL a ${unit}: ` +
    `${Math.round(median(samples.map((one) => one.walBytes)))} bytes`
  );
}

function speeds(samples: readonly Sample[]): number[] {
  return samples.map((one) => one.perSecond);
}
