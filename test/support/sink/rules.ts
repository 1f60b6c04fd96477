/**
 * Rules say what the sink does wrong, when and to whom. They are plain data, because they are sent to the sink's
 * process.
 */

export type SinkPhase = "connect" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "body" | "dot";

export type Rule = {
  readonly at: SinkPhase;
  /** The reply that is given instead of the usual one, such as "451 4.3.0 later". After a 421 the sink hangs up. */
  readonly reply?: string;
  /** Hangs up without a reply: in a body as soon as some of it has come, at `dot` with or without taking the message. */
  readonly drop?: "taken" | "not taken";
  /** The delay before a reply. In a body it is how long the sink stops reading. */
  readonly delayMs?: number;
  /** A pattern that recipients must match. It can't apply to connect, ehlo, auth and mail, which have no recipient. */
  readonly to?: string;
  /** Limits the rule to its first uses, or to the first for each recipient; `skip` lets so many pass before the first. */
  readonly times?: number;
  readonly timesEach?: number;
  readonly skip?: number;
  /** The probability of the rule, from 0 to 1, drawn by the sink's seed. */
  readonly chance?: number;
};

export type Chooser = (at: SinkPhase, to: string) => Rule | undefined;

/** Creates a function that chooses the first rule that applies. */
export function createChooser(rules: readonly Rule[], seed: number): Chooser {
  const random = createRandom(seed);
  const byPhase = Map.groupBy(rules.map(createState), ({ rule }) => rule.at);
  return (at, to) => byPhase.get(at)?.find((state) => applies(state, to, random))?.rule;
}

type State = {
  readonly rule: Rule;
  readonly to: RegExp | undefined;
  readonly timesOf: Map<string, number>;
  met: number;
  times: number;
};

function createState(rule: Rule): State {
  const to = rule.to === undefined ? undefined : new RegExp(rule.to);
  return { rule, to, timesOf: new Map(), met: 0, times: 0 };
}

function applies(state: State, to: string, random: () => number): boolean {
  const { rule, timesOf } = state;
  if (state.to && !state.to.test(to)) return false;
  if (state.met++ < (rule.skip ?? 0) || state.times >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
  if (rule.chance !== undefined && random() >= rule.chance) return false;
  if (rule.timesEach !== undefined) {
    const before = timesOf.get(to) ?? 0;
    if (before >= rule.timesEach) return false;
    timesOf.set(to, before + 1);
  }
  state.times++;
  return true;
}

/** Creates numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
