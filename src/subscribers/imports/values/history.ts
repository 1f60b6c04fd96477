/** This file reads what a row says of a person's past elsewhere: status, consent and leaving. It is pure. */
import { isIP } from "node:net";
import { readAnswer } from "./answers.ts";
import {
  createStandingReader,
  factsOf,
  isAgainstMail,
  joinFacts,
  type Standing,
  type StandingFacts,
  type StatusValues,
} from "./standing.ts";
import { type DateOrder, readTime } from "./times.ts";

export type History = {
  readonly optedInAt: Date | null;
  readonly optInIp: string | null;
  readonly optInSource: string | null;
  readonly confirmedAt: Date | null;
  readonly confirmIp: string | null;
  readonly unsubscribedAt: Date | null;
  readonly unsubscribeReason: string | null;
};
export const NO_HISTORY: History = Object.freeze({
  optedInAt: null,
  optInIp: null,
  optInSource: null,
  confirmedAt: null,
  confirmIp: null,
  unsubscribedAt: null,
  unsubscribeReason: null,
});

/** How the file says it. */
export type HistoryFormat = {
  /** What a row without a status of its own is. */
  readonly standing: Standing;
  readonly statusValues: StatusValues;
  readonly order: DateOrder;
  readonly now: Date;
};

export type HistoryDraft = { own: StandingFacts | undefined; history: History };
export type Fail = (code: string, detail: string) => void;

const TIMES = {
  opted_in_at: "optedInAt",
  confirmed_at: "confirmedAt",
  unsubscribed_at: "unsubscribedAt",
} as const;
const ADDRESSES = { opt_in_ip: "optInIp", confirm_ip: "confirmIp" } as const;
const TEXTS = { opt_in_source: "optInSource", unsubscribe_reason: "unsubscribeReason" } as const;
const LONGEST = { opt_in_source: 200, unsubscribe_reason: 500 } as const;
const FLAGS = {
  is_unsubscribed: "unsubscribed",
  is_bounced: "bounced",
  is_complained: "complained",
  is_suppressed: "suppressed",
} as const;

type HistoryTarget =
  | keyof typeof TIMES
  | keyof typeof ADDRESSES
  | keyof typeof TEXTS
  | keyof typeof FLAGS
  | "status";

export function isOfHistory(target: string): target is HistoryTarget {
  return (
    [TIMES, ADDRESSES, TEXTS, FLAGS].some((table) => Object.hasOwn(table, target)) || target === "status"
  );
}

/** Each cell that isn't empty is handed to this, with what was read of the row so far. */
export function createHistoryReader({ statusValues, order, now }: HistoryFormat) {
  const readStanding = createStandingReader(statusValues);
  const take = (draft: HistoryDraft, part: Partial<History>) => {
    draft.history = { ...draft.history, ...part };
  };
  const weigh = (draft: HistoryDraft, standing: Standing) => {
    draft.own = draft.own ? joinFacts(draft.own, factsOf(standing)) : factsOf(standing);
  };
  return (draft: HistoryDraft, target: HistoryTarget, text: string, fail: Fail): void => {
    switch (target) {
      case "status": {
        const standing = readStanding(text);
        if (standing) weigh(draft, standing);
        else fail("unknown_status", "nobody has said in `status_values` what this status means");
        return;
      }
      case "opted_in_at":
      case "confirmed_at":
      case "unsubscribed_at": {
        const time = readTime(text, order, now);
        if (time === undefined) fail("invalid_time", NO_TIME);
        else if (time) take(draft, { [TIMES[target]]: time });
        return;
      }
      case "opt_in_ip":
      case "confirm_ip":
        if (isIP(text) === 0) fail("invalid_ip", "must be an IPv4 or IPv6 address");
        else take(draft, { [ADDRESSES[target]]: text });
        return;
      case "opt_in_source":
      case "unsubscribe_reason":
        take(draft, { [TEXTS[target]]: [...text].slice(0, LONGEST[target]).join("") });
        return;
      default: {
        const time = readTime(text, order, now);
        const isSet = readAnswer(text) ?? (/^\d{1,3}$/.test(text) || time instanceof Date || undefined);
        if (isSet === undefined && time !== null) fail("invalid_value", "must be yes, no or a time");
        else if (isSet) weigh(draft, FLAGS[target]);
        if (isSet && target === "is_unsubscribed" && time && !draft.history.unsubscribedAt)
          take(draft, { unsubscribedAt: time });
      }
    }
  };
}

export const NO_TIME = "must be a time that has been, such as 2026-11-14 09:30:00";

/** A row that says nothing is what the file is; a time of leaving says something, unless the person is active again. */
export function standingOf(
  { own, history }: HistoryDraft,
  { standing }: Pick<HistoryFormat, "standing">,
): StandingFacts {
  const isActive = own && !own.isLeftOut && !isAgainstMail(own);
  const facts = own ?? factsOf(standing);
  return history.unsubscribedAt && !isActive ? joinFacts(facts, factsOf("unsubscribed")) : facts;
}

type Told = { readonly standing: StandingFacts; readonly history: History };

/** Joins what two rows tell of one person: of the opt-in the first that tells it, of the leaving the latest. */
export function joinHistories(first: Told, second: Told): History {
  const merged = Object.fromEntries(
    Object.entries(second.history).map(([name, value]) => [
      name,
      first.history[name as keyof History] ?? value,
    ]),
  ) as History;
  // The time of somebody who is active again is of an earlier leaving, and not of the one that counts.
  const leavings = [first, second].filter(({ standing }) => standing.hasLeft).map(({ history }) => history);
  const [latest] = leavings.toSorted((a, b) => Number(b.unsubscribedAt ?? 0) - Number(a.unsubscribedAt ?? 0));
  if (!latest) return merged;
  const { unsubscribedAt, unsubscribeReason } = latest;
  const told = unsubscribeReason ?? leavings.find((one) => one.unsubscribeReason)?.unsubscribeReason ?? null;
  return { ...merged, unsubscribedAt, unsubscribeReason: told };
}
