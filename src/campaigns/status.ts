/** These rules say what may be done with a campaign in each status, and what it then becomes. They are pure; `actions.ts` carries them out. */
export const STATUSES = ["draft", "scheduled", "sending", "paused", "sent", "canceled", "failed"] as const;
export type Status = (typeof STATUSES)[number];

const TRANSITIONS = ["send", "schedule", "unschedule", "pause", "resume", "cancel"] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** The actions as `allowed_actions` names them; `update` and `delete` are PATCH and DELETE. */
export const ACTIONS = ["update", "delete", ...TRANSITIONS, "duplicate"] as const;
export type Action = (typeof ACTIONS)[number];

export type State = {
  readonly status: Status;
  /** The status that a paused campaign was paused in; null for all others. */
  readonly pausedFrom: "scheduled" | "sending" | null;
  /** The status that a scheduled campaign returns to. One that was paused while it was scheduled keeps it. */
  readonly scheduledFrom: "draft" | "failed" | null;
  /** Whether mail of it has left: then it can't be edited any more. */
  readonly hasSent: boolean;
  /** Whether somebody sends it, and may still take it back: what they read is what leaves. */
  readonly isAgreed: boolean;
  /** Whether it waits for an operator of the instance, who alone lets it go on. */
  readonly isInReview?: boolean;
};

/** A line of the table below. A paused campaign is on one of two lines. */
type Line = "draft" | "scheduled" | "sending" | "paused_before_start" | "paused_in_midst" | "failed" | "over";

/** `origin` is the status that it was scheduled from. A transition that isn't listed is refused. */
type Target = Status | "origin";

const table: Readonly<Record<Line, Partial<Record<Transition, Target>>>> = {
  draft: { send: "sending", schedule: "scheduled" },
  scheduled: {
    send: "sending",
    schedule: "scheduled",
    unschedule: "origin",
    pause: "paused",
    cancel: "origin",
  },
  sending: { pause: "paused", cancel: "canceled" },
  paused_before_start: {
    send: "sending",
    schedule: "scheduled",
    unschedule: "origin",
    // Where its time has passed meanwhile, it is resumed only if the request says that it shall be sent at once.
    resume: "scheduled",
  },
  paused_in_midst: { resume: "sending", cancel: "canceled" },
  failed: { send: "sending", schedule: "scheduled", cancel: "canceled" },
  over: {},
};

function lineOf({ status, pausedFrom }: State): Line {
  if (status === "paused") return pausedFrom === "scheduled" ? "paused_before_start" : "paused_in_midst";
  return status === "sent" || status === "canceled" ? "over" : status;
}

/** Answers undefined where the transition isn't allowed from this state. */
export function nextState(state: State, transition: Transition): State | undefined {
  const target = table[lineOf(state)][transition];
  if (!target || (transition === "resume" && state.isInReview)) return undefined;
  const status = target === "origin" ? (state.scheduledFrom ?? "draft") : target;
  return {
    status,
    pausedFrom: status === "paused" ? (state.status === "scheduled" ? "scheduled" : "sending") : null,
    scheduledFrom: scheduledFromIn(status, state),
    hasSent: state.hasSent,
    isAgreed: false,
  };
}

function scheduledFromIn(status: Status, { status: before, scheduledFrom }: State): State["scheduledFrom"] {
  if (status !== "scheduled" && status !== "paused") return null;
  return before === "draft" || before === "failed" ? before : scheduledFrom;
}

/**
 * A campaign of which mail has left stays as it was sent, also while a second try waits for its time; and one that is about to
 * leave stays as it was read.
 */
export function isEditable(state: State): boolean {
  const line = lineOf(state);
  const isBeforeStart =
    line === "draft" || line === "scheduled" || line === "paused_before_start" || line === "failed";
  return isBeforeStart && !state.hasSent && !state.isAgreed;
}

export function isDeletable({ status }: State): boolean {
  return status === "draft";
}

/** Tells whether a campaign leaves as it is unless somebody steps in: to change it then is to decide what is sent, and to whom. */
export function isAboutToStart(state: State): boolean {
  const line = lineOf(state);
  return line === "scheduled" || line === "paused_before_start";
}

/**
 * Lists what may be done, in the order of ACTIONS: each endpoint would do it now, if its input were good and the caller had its scope.
 * Whoever may not send changes nothing that is about to.
 */
export function allowedActions(state: State, maySend: boolean): Action[] {
  return ACTIONS.filter((action) => {
    if (action === "update") return isEditable(state) && (maySend || !isAboutToStart(state));
    if (action === "delete") return isDeletable(state);
    return action === "duplicate" || nextState(state, action) !== undefined;
  });
}

/** Tells what the end of a source makes of its campaign; undefined where the campaign has gone on without it. */
export function afterEnd(
  state: State,
  how: "done" | "no_recipients" | "paused" | "failed",
): Status | undefined {
  const isUnderWay = state.status === "sending" || lineOf(state) === "paused_in_midst";
  if (!isUnderWay) return undefined;
  if (how === "done") return "sent";
  if (how === "paused") return state.status === "sending" ? "paused" : undefined;
  return "failed";
}
