/**
 * How many of a transport's connections one recipient domain may have at once. A message of a domain that has become slow
 * keeps its connection for as long as that domain likes, so what is given away can't be had back when others come. Pure.
 */
export type Standing = {
  /** Of the transport. */
  readonly connections: number;
  /** How long one of its messages takes, as far as is known by now. */
  readonly takesMs: number;
  /** How long messages of other domains usually take; its own time where there are none. */
  readonly othersTakeMs: number;
  /** It said so, and may have less than a quarter for now. */
  readonly asksForLess: boolean;
  /** Completions since it last had nothing to send. */
  readonly ended: number;
  /** Quick ones among them, one after the other up to now. */
  readonly quickInARow: number;
  /** Somebody of another domain waits. */
  readonly doOthersWait: boolean;
  /** For so long nobody has come from another domain, slow ones left aside. */
  readonly aloneForMs: number;
  /** How many connections all other slow domains have together. */
  readonly heldByOtherSlow: number;
};

export type Shares = {
  readonly isSlow: boolean;
  /** How many it may have in any case. */
  readonly sure: number;
  /** How many where a connection would else stand idle, because those who also wait can't use it. */
  readonly idle: number;
};

/** Slow is four times as slow as the rest, and a second at least. */
const SLOW_MS = 1_000;
const TIMES = 4;
const QUICK_MS = 50;
/** Somebody came a moment ago: others may come yet, and shall find a connection. */
const MORE_MAY_COME_MS = 250;
/** With nobody else for so long, there is nobody to keep a reserve for; whoever comes after all waits for a second at most. */
const LONG_ALONE_MS = 10_000;

const BEGINS_WITH = 1;

/** It holds up whatever waits behind it. */
export function isSlow(standing: Pick<Standing, "takesMs" | "othersTakeMs" | "asksForLess">): boolean {
  const { takesMs, othersTakeMs, asksForLess } = standing;
  return asksForLess || takesMs > Math.max(SLOW_MS, TIMES * othersTakeMs);
}

export function isQuick({ takesMs, othersTakeMs }: Pick<Standing, "takesMs" | "othersTakeMs">): boolean {
  return takesMs <= Math.max(QUICK_MS, TIMES * othersTakeMs);
}

export function quarterOf(connections: number): number {
  return Math.max(1, Math.floor(connections / 4));
}

/**
 * A domain begins with one, since nobody knows how long it takes today, and has one more for each completion up to a quarter;
 * beyond that one for each quick completion, because it may become slow at any moment. A quarter stays in reserve for others. A
 * slow one has one, and more only when nobody else has come for as long as one of its messages takes.
 */
export function sharesOf(standing: Standing): Shares {
  const { connections, takesMs, ended, quickInARow, doOthersWait, aloneForMs } = standing;
  const share = Math.min(quarterOf(connections), BEGINS_WITH + ended);
  const isAlone = !doOthersWait && aloneForMs > Math.max(MORE_MAY_COME_MS, takesMs);
  if (isSlow(standing)) return { isSlow: true, sure: shareOfSlow(standing, isAlone), idle: 0 };
  const needsReserve = !isAlone || aloneForMs <= LONG_ALONE_MS || takesMs > SLOW_MS;
  const reserve = needsReserve ? Math.floor(connections / 4) : 0;
  const most = connections - reserve;
  if (isAlone) return { isSlow: false, sure: most, idle: most };
  const earned = isQuick(standing) ? Math.min(most, share + quickInARow) : share;
  return { isSlow: false, sure: doOthersWait ? share : earned, idle: earned };
}

/** All slow ones together leave a quarter to those that come, however many they are. */
function shareOfSlow({ connections, heldByOtherSlow }: Standing, isAlone: boolean): number {
  const left = Math.max(1, connections - quarterOf(connections)) - heldByOtherSlow;
  return Math.max(0, isAlone ? left : Math.min(1, left));
}
