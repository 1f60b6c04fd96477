/** What the address of the audit log holds. The names of the filters are those of the API's query. */
import type { Operations } from "../../../api/openapi.ts";

export type AuditSearch = {
  readonly actor?: string | undefined;
  /** The kind of what was changed, such as `campaign`. */
  readonly about?: string | undefined;
  readonly target?: string | undefined;
  /** Days of the reader's own calendar, the last one included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly cursor?: string | undefined;
};

const ID = /^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const matching = (value: unknown, form: RegExp) =>
  typeof value === "string" && form.test(value) ? value : undefined;
const day = (value: unknown) => {
  const read = matching(value, /^\d{4}-\d\d-\d\d$/);
  return read !== undefined && !Number.isNaN(new Date(`${read}T00:00`).getTime()) ? read : undefined;
};

/** Anything may stand in an address. What isn't known is set to undefined, because the router keeps what a reader leaves out. */
export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const { actor, about, target, since, until, cursor } = given;
  return {
    actor: matching(actor, ID) ?? matching(actor, /^(system|operator|stranger)$/),
    about: matching(about, /^[a-z_]{1,40}$/),
    target: matching(target, ID),
    since: day(since),
    until: day(until),
    cursor: typeof cursor === "string" ? cursor : undefined,
  };
}

export type AuditFilter = NonNullable<Operations["GET /v1/audit/export"]["query"]>;

/** Says what the API is asked for, without the place. A day begins and ends where the reader is. */
export function filterOf({ actor, about, target, since, until }: AuditSearch): AuditFilter {
  return {
    ...(actor && { actor }),
    ...(about && { action: `${about}.*` }),
    ...(target && { target }),
    ...(since && { created_after: momentBefore(startOf(since)).toISOString() }),
    ...(until && { created_before: dayAfter(startOf(until)).toISOString() }),
  };
}

const startOf = (at: string) => new Date(`${at}T00:00`);
/** `created_after` leaves out the very moment that it names. */
const momentBefore = (at: Date) => new Date(at.getTime() - 1);

function dayAfter(at: Date): Date {
  const next = new Date(at);
  next.setDate(next.getDate() + 1);
  return next;
}

export const hasFilter = (search: AuditSearch) => Object.keys(filterOf(search)).length > 0;
