import { toPublicId } from "../platform/ids.ts";
import { AppError, defineProblem, type Fault } from "../platform/problems.ts";

export const listNotEmpty = defineProblem(
  409,
  "list_not_empty",
  "List not empty",
  "The list has subscribers. `would_delete` says how many; `?force=true` deletes them with it.",
);
export const slugTaken = defineProblem(
  409,
  "slug_taken",
  "Slug taken",
  "Another archive of this instance has this slug. Slugs stand in public addresses, so each belongs to one. Choose another.",
);
export const subscriberExists = defineProblem(
  409,
  "subscriber_exists",
  "Subscriber exists",
  "The address is on this list already: `subscriber_id` and `subscriber_status` say which. `?on_conflict=update` merges.",
);
export const subscriberLimitReached = defineProblem(
  409,
  "subscriber_limit_reached",
  "Subscriber limit reached",
  "The account may have so many subscribers, on all its lists together, and it has them: `limit` says how many, `used` how many there are, and `set_by` whether the `plan` or the `operator` of this service allows no more. Delete some, take another plan, or ask the operator.",
);
export const invalidState = defineProblem(
  409,
  "invalid_state",
  "Invalid state",
  "The object's present state doesn't allow this action. `current_status` says what it is.",
);
export const confirmationTooSoon = defineProblem(
  429,
  "confirmation_too_soon",
  "Confirmation sent lately",
  "A confirmation mail went to this address a short while ago. `Retry-After` says when another may.",
);
export const fieldExists = defineProblem(
  409,
  "field_exists",
  "Field exists",
  "There is a custom field with this key already.",
);
export const tooManyFields = defineProblem(
  409,
  "too_many_fields",
  "Too many fields",
  "An account may have 200 custom fields.",
);
export const tooManyTopics = defineProblem(
  409,
  "too_many_topics",
  "Too many topics",
  "An account may have 50 topics.",
);
export const suppressionExists = defineProblem(
  409,
  "suppression_exists",
  "Suppression exists",
  "This address is suppressed already: `suppression_id` says by which entry.",
);

type Full = { readonly limit: number; readonly used: number; readonly setBy: "operator" | "plan" };

/** What an import's rows and a batch's items are told too. */
export function describeFull(room: Full): string {
  const whose = room.setBy === "plan" ? "the account's plan" : "the operator of this service";
  return `${whose} allows ${room.limit} subscribers, and there are ${usedWhenFull(room)}`;
}

export function limitReached(room: Full): AppError {
  const members = { limit: room.limit, used: usedWhenFull(room), set_by: room.setBy };
  return new AppError(subscriberLimitReached, describeFull(room), { members });
}

/** Somebody is refused after those of the same request that there was room for. */
function usedWhenFull({ limit, used }: Full): number {
  return Math.max(limit, used);
}

export function existsAlready(existing: { id: string; status: string }): AppError {
  return new AppError(subscriberExists, "this address is on the list already", {
    members: { subscriber_id: toPublicId("sub", existing.id), subscriber_status: existing.status },
  });
}

/** Returns what a batch answers for an item that was refused. */
export function failedItem(error: AppError) {
  const errors: readonly Fault[] = error.faults;
  return {
    status: error.problem.status,
    error: {
      code: error.problem.code,
      detail: error.message,
      ...(errors.length > 0 && { errors }),
      ...error.members,
    },
  };
}
