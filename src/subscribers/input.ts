/** From what a client sent to what can be written. Pure: every fault of an item is found at once. */
import { isIP } from "node:net";
import { type ParsedAddress, parseAddress } from "../mail/addresses.ts";
import { fromPublicId } from "../platform/ids.ts";
import type { Fault } from "../platform/problems.ts";
import { type FieldRow, readFieldValues, type SlotValues } from "./fields/fields.ts";

import type { ConsentInput, SubscriberCreate } from "./schema.ts";
import { readTags } from "./tags/tags.ts";

/** Absent is "leave it as it is", null is "clear it". */
export type Profile = {
  first_name?: string | null;
  last_name?: string | null;
  locale?: string | null;
  time_zone?: string | null;
};

export type Candidate = {
  address: ParsedAddress;
  listId: string;
  profile: Profile;
  slots: SlotValues;
  tags: readonly string[];
  source: string | undefined;
  consent: ConsentInput | undefined;
};

type ProfileInput = Omit<Partial<SubscriberCreate>, "email" | "list_id">;

export function readCandidate(
  input: SubscriberCreate,
  fields: readonly FieldRow[],
): { candidate: Candidate } | { faults: readonly Fault[] } {
  const address = readAddress(input.email, "/email");
  const listId = fromPublicId("lst", input.list_id);
  const rest = readProfile(input, fields);
  const faults = [
    ...("fault" in address ? [address.fault] : []),
    ...(listId ? [] : [unknownList]),
    ...rest.faults,
    ...consentFaults(input.consent, "/consent"),
  ];
  if (faults.length > 0 || "fault" in address || !listId) return { faults };
  const { profile, slots, tags } = rest;
  const { source, consent } = input;
  return { candidate: { address: address.parsed, listId, profile, slots, tags, source, consent } };
}

export const unknownList: Fault = {
  pointer: "/list_id",
  code: "not_found",
  detail: "there is no such list in this account",
};

export function readAddress(text: string, pointer: string): { parsed: ParsedAddress } | { fault: Fault } {
  const parsed = parseAddress(text);
  return parsed.ok ? { parsed } : { fault: { pointer, code: parsed.code, detail: parsed.detail } };
}

/** For a body that may be anything yet: of the fields named, those that are texts and no addresses. */
export function addressFaultsIn(...names: readonly string[]): (body: unknown) => readonly Fault[] {
  return (body) =>
    names.flatMap((name) => {
      const given = (body as Record<string, unknown> | null)?.[name];
      if (typeof given !== "string" || given === "") return [];
      const read = readAddress(given, `/${name}`);
      return "fault" in read ? [read.fault] : [];
    });
}

/** What may be given at a create as well as in a patch. */
export function readProfile(
  input: ProfileInput,
  fields: readonly FieldRow[],
): { profile: Profile; slots: SlotValues; tags: readonly string[]; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const profile: Profile = {};
  for (const key of ["first_name", "last_name"] as const) {
    const given = input[key];
    if (given !== undefined) profile[key] = given === null ? null : given.trim() || null;
  }
  if (input.locale !== undefined) {
    profile.locale = canonicalLocale(input.locale);
    if (input.locale !== null && profile.locale === null) {
      faults.push({
        pointer: "/locale",
        code: "invalid_locale",
        detail: "must be a language tag such as en-GB",
      });
    }
  }
  if (input.time_zone !== undefined) profile.time_zone = input.time_zone;
  const values = readFieldValues(fields, input.fields ?? {}, "/fields");
  const tags = readTags(input.tags ?? [], "/tags");
  return {
    profile,
    slots: values.slots,
    tags: tags.tags,
    faults: [...faults, ...values.faults, ...tags.faults],
  };
}

export function consentFaults(consent: ConsentInput | undefined, pointer: string): readonly Fault[] {
  if (consent?.ip === undefined || isIP(consent.ip) !== 0) return [];
  return [{ pointer: `${pointer}/ip`, code: "invalid_format", detail: "must be an IPv4 or IPv6 address" }];
}

function canonicalLocale(tag: string | null): string | null {
  try {
    return tag === null ? null : (Intl.getCanonicalLocales(tag)[0] ?? null);
  } catch {
    return null;
  }
}
