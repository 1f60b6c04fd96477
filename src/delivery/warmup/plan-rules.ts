/**
 * These pure rules say how many mails a day a mailbox provider is given while a server is made known to it: a few at first, and more
 * after each day on which enough was sent and little of it came back (docs/decisions/0087).
 */

/** What became of a day's mail to one provider, by one transport. */
export type DayCounts = {
  /** Mails that the server took, may have taken, or refused for good. */
  readonly sent: number;
  /** Of these, the ones refused because the address will never work. */
  readonly hard: number;
  /** Attempts that the server put off. */
  readonly deferred: number;
  /** Complaints that came on this day; undefined where nobody would tell us. */
  readonly complained: number | undefined;
};

export type WarmupPlan = {
  readonly startPerDay: number;
  /** More than 1 and less than 2. */
  readonly growth: number;
  readonly targetPerDay: number;
  readonly isPaused: boolean;
};

/** A day on which the provider was sent to. */
export type WarmupDay = { readonly cap: number; readonly counts: DayCounts };

/** A client may know them by name, so a name never changes. */
export const STEP_REASONS = [
  "first_day",
  "good_day",
  "at_target",
  "paused",
  "too_little_sent",
  "hard_bounces",
  "deferrals",
  "complaints",
  "many_complaints",
] as const;
type StepReason = (typeof STEP_REASONS)[number];

type Step = { readonly cap: number; readonly reason: StepReason };

/** A day says something of the next step where at least this share of its cap was sent. */
const LEAST_USED = 0.7;
const HARD_BELOW = 0.02;
const DEFERRED_BELOW = 0.1;
const COMPLAINED_BELOW = 0.001;
/** At this share of complaints the plan goes two steps back. */
const COMPLAINED_TOO_MUCH = 0.003;

/** Returns the cap of the day that follows these; they are in the order of time, and only days on which mail was to be sent. */
export function nextStep(history: readonly WarmupDay[], plan: WarmupPlan): Step {
  const last = history.at(-1);
  if (!last) return { cap: within(plan, plan.startPerDay), reason: "first_day" };
  const reason = judge(last, plan);
  if (reason === "good_day") return { cap: stepForward(plan, last.cap), reason };
  if (reason === "many_complaints") return { cap: twoStepsBack(plan, last.cap), reason };
  return { cap: within(plan, last.cap), reason };
}

function judge({ cap, counts }: WarmupDay, plan: WarmupPlan): StepReason {
  const { sent, hard, deferred, complained = 0 } = counts;
  if (plan.isPaused) return "paused";
  if (sent > 0 && complained / sent >= COMPLAINED_TOO_MUCH) return "many_complaints";
  if (sent < cap * LEAST_USED || sent === 0) return "too_little_sent";
  if (complained / sent >= COMPLAINED_BELOW) return "complaints";
  if (hard / sent >= HARD_BELOW) return "hard_bounces";
  if (deferred / (sent + deferred) >= DEFERRED_BELOW) return "deferrals";
  return cap >= plan.targetPerDay ? "at_target" : "good_day";
}

/** A step forward is one mail at least, so that the smallest plan gets on too. */
export function stepForward(plan: WarmupPlan, cap: number): number {
  return within(plan, Math.max(cap + 1, Math.floor(cap * plan.growth)));
}

function twoStepsBack(plan: WarmupPlan, cap: number): number {
  return within(plan, Math.floor(cap / plan.growth ** 2));
}

/** A plan may be changed while it runs, so that the last day's cap is outside of it. */
function within({ startPerDay, targetPerDay }: WarmupPlan, cap: number): number {
  return Math.min(targetPerDay, Math.max(Math.min(startPerDay, targetPerDay), cap));
}

/** A tenth of each cap is kept for transactional mail, where that left by the same transport of late. */
export function reservedOf(cap: number): number {
  return Math.floor(cap / 10);
}

/** What one provider is still to be sent, and what it may be. */
type Remaining = {
  readonly mails: number;
  /** What is left of today's cap. */
  readonly today: number;
  /** Today's cap, from which the next days' follow; undefined where there is no plan. */
  readonly cap: number | undefined;
};

/** A guess beyond this says nothing. */
export const MOST_DAYS = 365;

/**
 * Returns on how many days these mails leave, where every day is a good one; `perDay` and `today` are the limit of the transport, to all
 * providers together, and what is left of it today.
 */
export function daysToSend(
  all: readonly Remaining[],
  plan: WarmupPlan | undefined,
  whole: { readonly perDay: number; readonly today: number },
): number {
  let providers = all.map(({ mails, today, cap }) => ({ mails, left: plan ? today : mails, cap: cap ?? 0 }));
  let room = whole.today;
  for (let day = 1; day <= MOST_DAYS; day++) {
    const after = providers.map(({ mails, left, cap }) => {
      const sent = Math.min(mails, left, room);
      room -= sent;
      const isEnough = cap - left + sent >= cap * LEAST_USED;
      const next = plan && !plan.isPaused && isEnough ? stepForward(plan, cap) : cap;
      return { mails: mails - sent, left: plan ? next : mails - sent, cap: next };
    });
    if (after.every(({ mails }) => mails === 0)) return day;
    providers = after;
    room = whole.perDay;
  }
  return MOST_DAYS;
}

/** Retries that found a cap used up come within this time after midnight, and not all at once. */
export const RETRIES_SPREAD_MS = 15 * 60_000;
