/** What may be done with a campaign, and what it then becomes. Pure: `actions.ts` asks it and writes what it says. */
export const STATUSES = ["draft", "scheduled", "sending", "paused", "sent", "canceled", "failed"] as const;
export type Status = (typeof STATUSES)[number];

const TRANSITIONS = ["send", "schedule", "unschedule", "pause", "resume", "cancel"] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** As `allowed_actions` names them; `update` and `delete` are PATCH and DELETE. */
export const ACTIONS = ["update", "delete", ...TRANSITIONS, "duplicate"] as const;
export type Action = (typeof ACTIONS)[number];

export type State = {
  readonly status: Status;
  /** Of a paused one alone. */
  readonly pausedFrom: "scheduled" | "sending" | null;
  /** Where a scheduled one returns to; also of one that was paused while it was scheduled. */
  readonly scheduledFrom: "draft" | "failed" | null;
  /** Whether mail of it has left: then it is written in stone. */
  readonly hasSent: boolean;
};

/** A line of the table. A paused campaign is on one of two. */
type Line = "draft" | "scheduled" | "sending" | "paused_before_start" | "paused_in_midst" | "failed" | "over";

/** `origin` is where the schedule was made from. What isn't here is refused. */
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
    // When its time has passed meanwhile, only if told to send at once.
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

/** undefined: not from here. */
export function nextState(state: State, transition: Transition): State | undefined {
  const target = table[lineOf(state)][transition];
  if (!target) return undefined;
  const status = target === "origin" ? (state.scheduledFrom ?? "draft") : target;
  return {
    status,
    pausedFrom: status === "paused" ? (state.status === "scheduled" ? "scheduled" : "sending") : null,
    scheduledFrom: scheduledFromIn(status, state),
    hasSent: state.hasSent,
  };
}

function scheduledFromIn(status: Status, { status: before, scheduledFrom }: State): State["scheduledFrom"] {
  if (status !== "scheduled" && status !== "paused") return null;
  return before === "draft" || before === "failed" ? before : scheduledFrom;
}

/** One in which mail has left stays as it was sent, also while a second try waits for its time. */
export function isEditable(state: State): boolean {
  const line = lineOf(state);
  const isBeforeStart =
    line === "draft" || line === "scheduled" || line === "paused_before_start" || line === "failed";
  return isBeforeStart && !state.hasSent;
}

export function isDeletable({ status }: State): boolean {
  return status === "draft";
}

/** In the order of ACTIONS. Each is what its endpoint would then do, were its input good. */
export function allowedActions(state: State): Action[] {
  return ACTIONS.filter((action) => {
    if (action === "update") return isEditable(state);
    if (action === "delete") return isDeletable(state);
    return action === "duplicate" || nextState(state, action) !== undefined;
  });
}

/** What a source's end makes of its campaign; undefined where the campaign has gone on without it. */
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
