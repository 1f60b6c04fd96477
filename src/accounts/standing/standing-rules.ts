/**
 * These pure rules say how much trust an account has on an instance with several: how many mails a new one may send in a day, and
 * whether too much of what an account sent bounced or was complained about (docs/decisions/0070).
 */

/** A day is one of UTC, as `YYYY-MM-DD`. */
export type Day = string;

const DAY_MS = 24 * 3_600_000;

export function dayOf(at: Date): Day {
  return at.toISOString().slice(0, 10);
}

/** Returns when the day after that one begins, which is when mail that waits goes on. */
export function nextDayBegins(at: Date): Date {
  return new Date((Math.floor(at.getTime() / DAY_MS) + 1) * DAY_MS);
}

const FIRST_DAY = 200;
/** An account that would be allowed more than this in a day is known well enough, and is limited no more. */
const MOST_LIMITED = 50_000;
/** A day counts where at least this share of what was allowed was sent: who sends three mails a day earned no trust with a thousand. */
const LEAST_USED = 0.1;

/** A day on which an account on probation sent something. */
export type SendingDay = {
  readonly allowed: number;
  readonly used: number;
  /** Whether the account was warned or stopped on that day. */
  readonly isWarned: boolean;
};

export function isClean({ allowed, used, isWarned }: SendingDay): boolean {
  return used > 0 && used >= allowed * LEAST_USED && !isWarned;
}

/** Returns how many mails may be sent on a day, by the days before it; null once there is no limit any more. */
export function limitOfDay(before: readonly SendingDay[]): number | null {
  const limit = FIRST_DAY * 2 ** before.filter(isClean).length;
  return limit > MOST_LIMITED ? null : limit;
}

/** A campaign of an account on probation to more recipients than this is looked at by somebody before it leaves. */
export const MOST_WITHOUT_REVIEW = 100;

/** What became of an account's mail in seven days. */
export type StandingCounts = {
  readonly sent: number;
  readonly failed: number;
  /** The hard bounces, those within the SMTP session and those that came later as mail. */
  readonly hard: number;
  readonly complaints: number;
};

/** Fewer mails than this say nothing about an account. */
export const LEAST_MAILS = 100;
/** An account is judged by its mail of so many days. */
export const JUDGED_DAYS = 7;
const HARD = { rate: 0.1, least: 10 };
const COMPLAINTS = { rate: 0.003, least: 5 };

type Standing = "fine" | "warned" | "stopped";
type StandingReason = "hard_bounces" | "complaints";
export type Verdict =
  | { readonly standing: "fine" }
  | {
      readonly standing: Exclude<Standing, "fine">;
      readonly reason: StandingReason;
      readonly detail: string;
    };

/** Half of the rate and of the number that stop an account warn it. Whatever stops is named before what only warns. */
export function judgeStanding({ sent, failed, hard, complaints }: StandingCounts): Verdict {
  const tried = sent + failed;
  const bounced = {
    reason: "hard_bounces" as const,
    standing: standingBy(hard, tried, HARD),
    detail: `${count(hard)} of ${count(tried)} mails of the last seven days bounced hard (${percent(hard, tried)}); the limit is ${percent(HARD.rate, 1)}`,
  };
  const complained = {
    reason: "complaints" as const,
    standing: standingBy(complaints, sent, COMPLAINTS),
    detail: `${count(complaints)} of ${count(sent)} recipients of the last seven days complained (${percent(complaints, sent)}); the limit is ${percent(COMPLAINTS.rate, 1)}`,
  };
  for (const standing of ["stopped", "warned"] as const)
    for (const one of [bounced, complained])
      if (one.standing === standing) return { standing, reason: one.reason, detail: one.detail };
  return { standing: "fine" };
}

function standingBy(number: number, of: number, limit: { rate: number; least: number }): Standing {
  if (of < LEAST_MAILS) return "fine";
  if (number >= limit.least && number >= of * limit.rate) return "stopped";
  return number >= limit.least / 2 && number >= (of * limit.rate) / 2 ? "warned" : "fine";
}

function count(value: number): string {
  return value.toLocaleString("en-GB");
}

function percent(part: number, of: number): string {
  return `${Number(((part / of) * 100).toFixed(2))}%`;
}
