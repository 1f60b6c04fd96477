/**
 * What hits add to the numbers of the mail they belong to. The rules are pure, and the order in which hits arrive doesn't matter:
 * a recount of all of them gives the same numbers.
 */

/** One or more hits of one message and link within a minute, all by people, or all by machines for the same reason. */
export type CountedHit = {
  readonly accountId: string;
  readonly sourceId: string;
  /** Null where the mail was tracked for nobody in particular. */
  readonly contactId: string | null;
  /** Null for the pixel. */
  readonly link: number | null;
  readonly at: Date;
  readonly times: number;
  /** Why it is held to be a machine's; empty for a person's. */
  readonly machine: string;
};

/** What was seen of one message. */
export type MessageEngagement = {
  readonly pixels: number;
  readonly humanPixels: number;
  readonly clicks: number;
  readonly humanClicks: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  readonly firstClickAt: Date | null;
  readonly lastClickAt: Date | null;
  /** When a person first opened, of which a click is a sign too; and when a person first clicked. */
  readonly firstHumanAt: Date | null;
  readonly firstHumanClickAt: Date | null;
};

export const NO_ENGAGEMENT: MessageEngagement = {
  pixels: 0,
  humanPixels: 0,
  clicks: 0,
  humanClicks: 0,
  firstAt: null,
  lastAt: null,
  firstClickAt: null,
  lastClickAt: null,
  firstHumanAt: null,
  firstHumanClickAt: null,
};

export function addHit(
  known: MessageEngagement,
  { link, at, times, machine }: CountedHit,
): MessageEngagement {
  const human = machine === "" ? times : 0;
  const seen = {
    ...known,
    firstAt: earlier(known.firstAt, at),
    lastAt: later(known.lastAt, at),
    ...(human > 0 && { firstHumanAt: earlier(known.firstHumanAt, at) }),
  };
  if (link === null) {
    return { ...seen, pixels: known.pixels + times, humanPixels: known.humanPixels + human };
  }
  return {
    ...seen,
    clicks: known.clicks + times,
    humanClicks: known.humanClicks + human,
    firstClickAt: earlier(known.firstClickAt, at),
    lastClickAt: later(known.lastClickAt, at),
    ...(human > 0 && { firstHumanClickAt: earlier(known.firstHumanClickAt, at) }),
  };
}

export function earlier(known: Date | null, at: Date): Date {
  return known && known <= at ? known : at;
}

export function later(known: Date | null, at: Date): Date {
  return known && known >= at ? known : at;
}

/** Numbers of opens and clicks, of a message, a link or a source. */
export type Sums = {
  readonly opens: number;
  readonly openers: number;
  readonly humanOpens: number;
  readonly humanOpeners: number;
  readonly clicks: number;
  readonly clickers: number;
  readonly humanClicks: number;
  readonly humanClickers: number;
};

export const NO_SUMS: Sums = {
  opens: 0,
  openers: 0,
  humanOpens: 0,
  humanOpeners: 0,
  clicks: 0,
  clickers: 0,
  humanClicks: 0,
  humanClickers: 0,
};

/**
 * What a message counts for. Whoever clicks has opened: where no pixel said so, a click counts as one open. And a person who
 * clicked has opened in person, whatever machine fetched the pixel.
 */
export function sumsOf({ pixels, humanPixels, clicks, humanClicks }: MessageEngagement): Sums {
  const opens = pixels || Math.min(clicks, 1);
  const humanOpens = humanPixels || Math.min(humanClicks, 1);
  return {
    opens,
    openers: Math.min(opens, 1),
    humanOpens,
    humanOpeners: Math.min(humanOpens, 1),
    clicks,
    clickers: Math.min(clicks, 1),
    humanClicks,
    humanClickers: Math.min(humanClicks, 1),
  };
}

/** What a link of a message counts for: one who clicked it, however often. */
export function clicksOf({ clicks, humanClicks }: Pick<MessageEngagement, "clicks" | "humanClicks">): Sums {
  return {
    ...NO_SUMS,
    clicks,
    humanClicks,
    clickers: Math.min(clicks, 1),
    humanClickers: Math.min(humanClicks, 1),
  };
}

/** What the sums lose when a message is nobody's: how many people there were, and the open that a click alone tells of. */
export function lossOf(message: MessageEngagement): Sums {
  const { pixels: opens, humanPixels: humanOpens, clicks, humanClicks } = message;
  return addSums({ ...NO_SUMS, opens, humanOpens, clicks, humanClicks }, sumsOf(message), -1);
}

export function addSums(one: Sums, other: Sums, sign: 1 | -1 = 1): Sums {
  const keys = Object.keys(NO_SUMS) as (keyof Sums)[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + sign * other[key]])) as Sums;
}
