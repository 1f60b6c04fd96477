/** Reads one event as a program sent it, and names every fault of it. */
import { parseAddress } from "../../mail/addresses.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import { DEEPEST_PROPERTIES, KEPT_DAYS, MOST_AHEAD_MS, MOST_PROPERTY_BYTES } from "./limits.ts";
import type { TrackInput } from "./schema.ts";

/** Whose event it is: by id, or by address and perhaps a list. */
type Person =
  | { readonly subscriberId: string }
  | { readonly addressKey: string; readonly listId: string | undefined };

export type ReadItem = {
  readonly id: string;
  readonly person: Person;
  readonly name: string;
  readonly key: string | null;
  /** As JSON. */
  readonly properties: string;
  readonly occurredAt: Date;
};

const DAY_MS = 24 * 3_600_000;

/** The input has the shape of the schema. */
export function readItem(
  input: TrackInput,
  clock: Parameters<typeof newId>[0],
): { item: ReadItem } | { faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const person = readPerson(input, faults);
  const properties = readProperties(input.properties ?? {}, faults);
  const occurredAt = readTime(input.occurred_at, clock.now(), faults);
  if (!person || properties === undefined || faults.length > 0) return { faults };
  const { name, key = null } = input;
  return { item: { id: newId(clock), person, name, key, properties, occurredAt } };
}

function readPerson(input: TrackInput, faults: Fault[]): Person | undefined {
  const { subscriber_id, email, list_id } = input;
  if ((subscriber_id === undefined) === (email === undefined)) {
    const code = email === undefined ? "required" : "invalid_value";
    faults.push({ pointer: "/subscriber_id", code, detail: "give one of subscriber_id, email" });
    return undefined;
  }
  if (subscriber_id !== undefined) {
    if (list_id !== undefined)
      faults.push({ pointer: "/list_id", code: "invalid_value", detail: "is for an address" });
    const subscriberId = fromPublicId("sub", subscriber_id);
    if (subscriberId) return { subscriberId };
    faults.push(unknownSubscriber("/subscriber_id"));
    return undefined;
  }
  const address = parseAddress(email ?? "");
  if (!address.ok) {
    faults.push({ pointer: "/email", code: address.code, detail: address.detail });
    return undefined;
  }
  const listId = list_id === undefined ? undefined : fromPublicId("lst", list_id);
  if (list_id === undefined || listId) return { addressKey: address.key, listId };
  faults.push({ pointer: "/list_id", code: "not_found", detail: "there is no such list in this account" });
  return undefined;
}

export function unknownSubscriber(pointer: string): Fault {
  return { pointer, code: "not_found", detail: "there is no such subscriber in this account" };
}

function readProperties(properties: Record<string, unknown>, faults: Fault[]): string | undefined {
  const pointer = "/properties";
  // The depth is looked at first: writing it as JSON is a recursion.
  if (isDeeper(properties, DEEPEST_PROPERTIES)) {
    faults.push({ pointer, code: "too_deep", detail: `may be nested ${DEEPEST_PROPERTIES} deep` });
    return undefined;
  }
  const json = JSON.stringify(properties);
  if (Buffer.byteLength(json) <= MOST_PROPERTY_BYTES) return json;
  faults.push({ pointer, code: "too_large", detail: "may have 8 KB as JSON" });
  return undefined;
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1));
}

function readTime(given: string | undefined, now: Date, faults: Fault[]): Date {
  if (given === undefined) return now;
  const at = new Date(given);
  const pointer = "/occurred_at";
  if (at.getTime() > now.getTime() + MOST_AHEAD_MS)
    faults.push({ pointer, code: "invalid_value", detail: "is in the future" });
  if (at.getTime() < now.getTime() - KEPT_DAYS * DAY_MS)
    faults.push({ pointer, code: "invalid_value", detail: `may be ${KEPT_DAYS} days ago at most` });
  return at;
}
