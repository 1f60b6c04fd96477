/** This file makes what a client sent into what can be written. It is pure, and finds every fault of an item at once. */
import { isIP } from "node:net";
import { type ParsedAddress, parseAddress } from "../../mail/addresses.ts";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { fromPublicId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import {
  eachPlain,
  PLAIN_NAMES,
  type PlainName,
  type PlainValues,
  plainColumn,
  type SubscriberRow,
} from "../columns.ts";
import { type FieldRow, readFieldValues, type SlotValues } from "../fields/fields.ts";

import type { ConsentInput, SubscriberCreate } from "../schema.ts";
import { readTags } from "../tags/tags.ts";

/** An absent member leaves the column as it is, and null clears it. */
export type Profile = Partial<PlainValues & Pick<SubscriberRow, "tracking_consent">>;

export type Candidate = {
  address: ParsedAddress;
  listId: string;
  profile: Profile;
  slots: SlotValues;
  tags: readonly string[];
  source: string | undefined;
  consent: ConsentInput | undefined;
  /** When the person said so, where that is told later. */
  consentGivenAt?: Date;
  /** What shows that the person answered so about tracking. */
  trackingEvidence: ConsentInput | undefined;
  /** Goes before what the list says. Who gives it asks the person to confirm, by limits of their own. */
  doubleOptIn?: boolean;
  /** They came by a form of their own accord, and nobody added them. */
  isSignUp?: true;
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
  const { source, consent, tracking_evidence: trackingEvidence } = input;
  const given = { profile, slots, tags, source, consent, trackingEvidence };
  return { candidate: { address: address.parsed, listId, ...given } };
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

/** The body may still be anything: of the members named, this finds those that are texts but no addresses. */
export function addressFaultsIn(...names: readonly string[]): (body: unknown) => readonly Fault[] {
  return (body) =>
    names.flatMap((name) => {
      const given = (body as Record<string, unknown> | null)?.[name];
      if (typeof given !== "string" || given === "") return [];
      const read = readAddress(given, `/${name}`);
      return "fault" in read ? [read.fault] : [];
    });
}

/** Reads what a create and a patch have in common. */
export function readProfile(
  input: ProfileInput,
  fields: readonly FieldRow[],
): { profile: Profile; slots: SlotValues; tags: readonly string[]; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const profile: Profile = {};
  for (const name of PLAIN_NAMES) {
    const given = input[name];
    if (given === undefined) continue;
    const read = given === null ? { value: null } : readPlain(name, given);
    if ("value" in read) profile[name] = read.value;
    else faults.push({ pointer: `/${name}`, ...read.refusal });
  }
  if (input.tracking_consent !== undefined) profile.tracking_consent = input.tracking_consent;
  else if (input.tracking_evidence) faults.push(EVIDENCE_OF_NOTHING);
  faults.push(...consentFaults(input.tracking_evidence, "/tracking_evidence"));
  const values = readFieldValues(fields, input.fields ?? {}, "/fields");
  const tags = readTags(input.tags ?? [], "/tags");
  return {
    profile,
    slots: values.slots,
    tags: tags.tags,
    faults: [...faults, ...values.faults, ...tags.faults],
  };
}

const EVIDENCE_OF_NOTHING: Fault = {
  pointer: "/tracking_consent",
  code: "required",
  detail: "say what was answered, beside the evidence of it",
};

export function consentFaults(consent: ConsentInput | undefined, pointer: string): readonly Fault[] {
  if (consent?.ip === undefined || isIP(consent.ip) !== 0) return [];
  return [{ pointer: `${pointer}/ip`, code: "invalid_format", detail: "must be an IPv4 or IPv6 address" }];
}

type ReadPlain = { value: string | null } | { refusal: { code: string; detail: string } };

/** The text fits the column's schema already; what else the column asks of it is asked here. */
function readPlain(name: PlainName, text: string): ReadPlain {
  const { read, refusal = REFUSAL } = plainColumn(name);
  const value = read ? read(text) : text;
  return value === undefined ? { refusal } : { value };
}

const REFUSAL = { code: "invalid_value", detail: "is not valid" };

/** Each plain column has a check of its own, by the same schema that holds for a request. */
const checks = eachPlain((_name, { schema }) => createValidation().body(schema));

/** Reads a value that nothing has checked yet. */
export function readPlainValue(name: PlainName, value: unknown): ReadPlain {
  const [fault] = checks[name](value);
  if (fault) return { refusal: { code: fault.code, detail: fault.detail } };
  return typeof value === "string" ? readPlain(name, value) : { value: null };
}

/** A file has texts only; each is checked as if a client had sent it. */
export function readPlainFromFile(name: PlainName, cell: string): ReadPlain {
  const text = plainColumn(name).fromFile?.(cell) ?? cell;
  return readPlainValue(name, text);
}
