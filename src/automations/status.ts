/** These rules say what may be done with an automation in each status, and what it then becomes. They are pure. */
export const STATUSES = ["draft", "live", "paused", "draining", "archived"] as const;
export type Status = (typeof STATUSES)[number];

const TRANSITIONS = ["publish", "start", "pause", "resume", "drain", "cancel", "archive"] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** The actions as `allowed_actions` names them; `update` and `delete` are PATCH and DELETE. */
export const ACTIONS = ["update", "delete", ...TRANSITIONS, "duplicate"] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * A transition that isn't listed is refused. Whether anybody is inside, which `archive` asks too, isn't known here. One that is draining isn't
 * paused: `resume` lets its mail go on that delivery has stopped.
 */
const table: Readonly<Record<Status, Partial<Record<Transition, Status>>>> = {
  draft: { publish: "draft", start: "live", archive: "archived" },
  live: { publish: "live", pause: "paused", drain: "draining", cancel: "archived", archive: "archived" },
  paused: { publish: "paused", resume: "live", cancel: "archived", archive: "archived" },
  draining: { publish: "draining", resume: "draining", cancel: "archived", archive: "archived" },
  archived: {},
};

/** Returns undefined where the transition isn't allowed in this status. */
export function nextStatus(status: Status, transition: Transition): Status | undefined {
  return table[status][transition];
}

/** What it does is written down for ever in those that are over, so only a copy of them is changed. */
export function isEditable(status: Status): boolean {
  return status !== "archived";
}

export function isDeletable(status: Status): boolean {
  return status === "draft" || status === "archived";
}

/** Lists what may be done, in the order of ACTIONS: each endpoint would do it now, if its input were good and the caller had its scope. */
export function allowedActions(status: Status, hasPeople: boolean): Action[] {
  return ACTIONS.filter((action) => {
    if (action === "archive" && hasPeople) return false;
    if (action === "update") return isEditable(status);
    if (action === "delete") return isDeletable(status);
    return action === "duplicate" || nextStatus(status, action) !== undefined;
  });
}
