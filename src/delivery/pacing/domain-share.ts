/**
 * These pure rules say how many of a transport's connections one recipient domain may have at once. A domain that has become
 * slow keeps a connection for as long as it likes, so what is given away can't be had back when messages of others come.
 */
export type DomainFacts = {
  /** The number of the transport's connections. */
  readonly connections: number;
  /** How long one of the domain's messages takes, as far as is known by now. */
  readonly takesMs: number;
  /** How long messages of other domains usually take; the domain's own time where there are none. */
  readonly othersTakeMs: number;
  /** Whether the domain asked for less, and may have less than a quarter of the connections for now. */
  readonly asksForLess: boolean;
  /** The number of messages that have ended since the domain last had nothing to send. */
  readonly ended: number;
  /** The number of quick ones among them, counted in a row up to the last one. */
  readonly quickInARow: number;
  /** Whether messages of other domains wait. */
  readonly doOthersWait: boolean;
  /** For how long no message has come for another domain, slow domains left aside. */
  readonly aloneForMs: number;
  /** Whether none of its messages has ever ended, so that nobody knows how long it takes. */
  readonly isUntried: boolean;
  /** For how long no message has come or begun for a domain known to be quick. */
  readonly noQuickForMs: number;
  /** The connections that all other domains have which aren't known to be quick. */
  readonly held: HeldConnections;
  /** How many connections untried domains may have together (`trustAfter`). */
  readonly trust: number;
};

/** Numbers of connections, by what is known of the domains that have them. */
export type HeldConnections = {
  /** Connections of untried domains, of which no message has ended yet. */
  readonly untried: number;
  /** Connections of untried domains whose message already takes longer than is usual. */
  readonly stuck: number;
  /** Connections of domains that are four times as slow as the others. */
  readonly slower: number;
  readonly slow: number;
};
export type DomainKind = keyof HeldConnections | "quick";

export type Shares = {
  readonly isSlow: boolean;
  /** How many connections the domain may have in any case. */
  readonly sure: number;
  /** How many it may have where a connection would be idle otherwise, because no other waiting message may use it. */
  readonly idle: number;
};

/** A domain is slow when it takes four times as long as the others, and a second at least. */
const SLOW_MS = 1_000;
const TIMES = 4;
const QUICK_MS = 50;
/** A message under way for this long is old, unless that is usual; a shorter time may be a pause in our own process. */
const OLD_MS = 250;
/** While a message of another domain came within this time, more may come, and they should find a connection. */
const MORE_MAY_COME_MS = 250;
/**
 * When no other domain has come for this long, no reserve is kept; a message that comes after all waits a second at most.
 */
const LONG_ALONE_MS = 10_000;

const BEGINS_WITH = 1;

/** Returns whether the domain holds up whatever waits behind it. */
export function isSlow(facts: Pick<DomainFacts, "takesMs" | "othersTakeMs" | "asksForLess">): boolean {
  const { takesMs, othersTakeMs, asksForLess } = facts;
  return asksForLess || takesMs > Math.max(SLOW_MS, TIMES * othersTakeMs);
}

export function isQuick({ takesMs, othersTakeMs }: Pick<DomainFacts, "takesMs" | "othersTakeMs">): boolean {
  return takesMs <= Math.max(QUICK_MS, TIMES * othersTakeMs);
}

/** Classifies a domain by its messages that have ended, and by the age of its oldest under way. */
export function kindOf(
  facts: Pick<DomainFacts, "takesMs" | "othersTakeMs" | "asksForLess" | "isUntried"> & {
    readonly averageMs: number;
  },
): DomainKind {
  const { takesMs, othersTakeMs, averageMs } = facts;
  const isOld = takesMs > Math.max(OLD_MS, TIMES * othersTakeMs);
  if (facts.isUntried) return isOld ? "stuck" : "untried";
  if (isSlow(facts)) return "slow";
  return isOld || !isQuick({ takesMs: averageMs, othersTakeMs }) ? "slower" : "quick";
}

/**
 * Returns how many connections untried domains may have together. It is one more for each whose first message was quick,
 * half for each whose first is getting old, and a quarter again when none has ended for a while, since others may come now.
 */
export function trustAfter(
  what: "quick" | "old" | "pause",
  { trust, connections }: { readonly trust: number; readonly connections: number },
): number {
  const least = quarterOf(connections);
  if (what === "quick") return Math.min(connections, trust + 1);
  return what === "old" ? Math.max(least, trust / 2) : least;
}

/**
 * Returns whether no untried domain's message has ended for so long that the former ones say nothing about those that come.
 */
export function isPause(quietMs: number, usualMs: number): boolean {
  return quietMs > Math.max(SLOW_MS, TIMES * usualMs);
}

export function quarterOf(connections: number): number {
  return Math.max(1, Math.floor(connections / 4));
}

/**
 * A domain begins with one, since nobody knows how long it takes today, and has one more for each completion up to a
 * quarter; then one for each quick completion, as it may become slow at any moment. A quarter stays in reserve for others. A
 * slow domain has one, and more only when no other domain has come for as long as one of its messages takes.
 */
export function sharesOf(facts: DomainFacts): Shares {
  const { connections, takesMs, ended, quickInARow, doOthersWait, aloneForMs } = facts;
  const share = Math.min(quarterOf(connections), BEGINS_WITH + ended);
  const isAlone = !doOthersWait && aloneForMs > Math.max(MORE_MAY_COME_MS, takesMs);
  if (isSlow(facts)) return { isSlow: true, sure: shareOfSlow(facts, isAlone), idle: 0 };
  const needsReserve = !isAlone || aloneForMs <= LONG_ALONE_MS || takesMs > SLOW_MS;
  const reserve = needsReserve ? Math.floor(connections / 4) : 0;
  const most = Math.min(connections - reserve, roomFor(facts));
  if (isAlone) return { isSlow: false, sure: most, idle: most };
  const earned = Math.min(most, isQuick(facts) ? share + quickInARow : share);
  return { isSlow: false, sure: doOthersWait ? Math.min(most, share) : earned, idle: earned };
}

/** All slow domains together leave a quarter to others, and three quarters while messages of quick domains come. */
function shareOfSlow(facts: DomainFacts, isAlone: boolean): number {
  const { connections, held } = facts;
  const quarter = quarterOf(connections);
  const comeQuick = doQuickCome(facts);
  const most = comeQuick ? quarter : Math.max(1, connections - quarter);
  const left = Math.max(0, most - held.slow - held.stuck - (comeQuick ? suspects(facts) : 0));
  return isAlone ? left : Math.min(1, left);
}

/**
 * Returns what is left of the connections that all domains not known to be quick may have: each has few, but there may be
 * hundreds.
 */
function roomFor(facts: DomainFacts): number {
  const { connections, isUntried, held } = facts;
  if (isUntried) return roomForUntried(facts);
  if (isQuick(facts) || !doQuickCome(facts)) return connections;
  return Math.max(0, halfOf(connections) - held.stuck - held.slower - held.slow - suspects(facts));
}

/** Leaves one connection to untried domains, which may be quick, however many connections the known slow ones hold. */
function roomForUntried(facts: DomainFacts): number {
  const { connections, held, trust } = facts;
  const untried = held.untried + held.stuck;
  const notQuick = held.stuck + held.slower + held.slow;
  const besideAll = notQuick > 0 ? Math.max(1, connections - quarterOf(connections)) : connections;
  const rooms = [Math.floor(trust) - untried, besideAll - held.untried - notQuick];
  if (isSuspect(facts) && doQuickCome(facts)) {
    rooms.push(Math.floor(trust) - untried - held.slow, halfOf(connections) - held.untried - notQuick);
  }
  return Math.max(untried === 0 ? BEGINS_WITH : 0, Math.min(...rooms));
}

/** Returns whether untried domains weren't quick of late. */
function isSuspect({ connections, trust }: DomainFacts): boolean {
  return trust < halfOf(connections);
}

function suspects(facts: DomainFacts): number {
  return isSuspect(facts) ? facts.held.untried : 0;
}

function halfOf(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

/**
 * Quick domains count as coming for at least as long as one message of this domain takes: they would wait that long for it.
 */
function doQuickCome({ takesMs, isUntried, noQuickForMs }: DomainFacts): boolean {
  return noQuickForMs <= Math.max(isUntried ? SLOW_MS : MORE_MAY_COME_MS, takesMs);
}
