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
  /** Nothing of it has ever ended: nobody knows how long it takes. */
  readonly isUntried: boolean;
  /** For so long nobody has come or begun who is known to be quick. */
  readonly noQuickForMs: number;
  /** How many connections all other domains have that aren't known to be quick. */
  readonly held: Held;
  /** How many connections those nobody knows may have together, see `trustAfter`. */
  readonly trust: number;
};

/** Connections, by what is known of the domains that have them. */
export type Held = {
  /** Of domains of which nothing has ended yet. */
  readonly untried: number;
  /** Of such domains too, and already for longer than is usual. */
  readonly stuck: number;
  /** Four times as slow as the rest. */
  readonly slower: number;
  readonly slow: number;
};
export type Kind = keyof Held | "quick";

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
/** One under way for so long is old, unless that is usual; less may be a pause of our own. */
const OLD_MS = 250;
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

/** By what is known of its messages that ended, and by the age of the oldest under way. */
export function kindOf(
  line: Pick<Standing, "takesMs" | "othersTakeMs" | "asksForLess" | "isUntried"> & {
    readonly averageMs: number;
  },
): Kind {
  const { takesMs, othersTakeMs, averageMs } = line;
  const isOld = takesMs > Math.max(OLD_MS, TIMES * othersTakeMs);
  if (line.isUntried) return isOld ? "stuck" : "untried";
  if (isSlow(line)) return "slow";
  return isOld || !isQuick({ takesMs: averageMs, othersTakeMs }) ? "slower" : "quick";
}

/**
 * How many connections may be given to domains that nobody knows. One more for each of them whose first message was quick, half
 * as many for each whose first is getting old; a quarter again when none has ended for a while, since others may come now.
 */
export function trustAfter(
  what: "quick" | "old" | "pause",
  { trust, connections }: { readonly trust: number; readonly connections: number },
): number {
  const least = quarterOf(connections);
  if (what === "quick") return Math.min(connections, trust + 1);
  return what === "old" ? Math.max(least, trust / 2) : least;
}

/** Nothing of an untried domain has ended for so long: what those before them did says nothing of those who come. */
export function isPause(quietMs: number, usualMs: number): boolean {
  return quietMs > Math.max(SLOW_MS, TIMES * usualMs);
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
  const most = Math.min(connections - reserve, roomFor(standing));
  if (isAlone) return { isSlow: false, sure: most, idle: most };
  const earned = Math.min(most, isQuick(standing) ? share + quickInARow : share);
  return { isSlow: false, sure: doOthersWait ? Math.min(most, share) : earned, idle: earned };
}

/** All slow ones together leave a quarter to those that come, however many they are, and three quarters to quick ones that do. */
function shareOfSlow(standing: Standing, isAlone: boolean): number {
  const { connections, held } = standing;
  const quarter = quarterOf(connections);
  const comeQuick = doQuickCome(standing);
  const most = comeQuick ? quarter : Math.max(1, connections - quarter);
  const left = Math.max(0, most - held.slow - held.stuck - (comeQuick ? suspects(standing) : 0));
  return isAlone ? left : Math.min(1, left);
}

/** Of what those together may have who aren't known to be quick: one domain has few, but there may be hundreds of them. */
function roomFor(standing: Standing): number {
  const { connections, isUntried, held } = standing;
  if (isUntried) return roomForUntried(standing);
  if (isQuick(standing) || !doQuickCome(standing)) return connections;
  return Math.max(0, halfOf(connections) - held.stuck - held.slower - held.slow - suspects(standing));
}

/** However much the known ones hold up, there is one for those who may be quick. */
function roomForUntried(standing: Standing): number {
  const { connections, held, trust } = standing;
  const untried = held.untried + held.stuck;
  const notQuick = held.stuck + held.slower + held.slow;
  const besideAll = notQuick > 0 ? Math.max(1, connections - quarterOf(connections)) : connections;
  const rooms = [Math.floor(trust) - untried, besideAll - held.untried - notQuick];
  if (isSuspect(standing) && doQuickCome(standing)) {
    rooms.push(Math.floor(trust) - untried - held.slow, halfOf(connections) - held.untried - notQuick);
  }
  return Math.max(untried === 0 ? BEGINS_WITH : 0, Math.min(...rooms));
}

/** Those nobody knows weren't quick of late. */
function isSuspect({ connections, trust }: Standing): boolean {
  return trust < halfOf(connections);
}

function suspects(standing: Standing): number {
  return isSuspect(standing) ? standing.held.untried : 0;
}

function halfOf(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

/** As long as one of its own takes, at least: so long would they wait who come now. */
function doQuickCome({ takesMs, isUntried, noQuickForMs }: Standing): boolean {
  return noQuickForMs <= Math.max(isUntried ? SLOW_MS : MORE_MAY_COME_MS, takesMs);
}
