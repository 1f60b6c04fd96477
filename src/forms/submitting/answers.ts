/** Checks what was filled in against what the form asks for. Pure: what is wrong is a word for each input, not a sentence. */
import { type AddressFault, type ParsedAddress, parseAddress } from "../../mail/addresses.ts";
import { formInputs } from "../../public-pages/public-pages.ts";
import type { AskedField } from "../open-form.ts";

export type FaultKind =
  | "email"
  | "noTop"
  | "required"
  | "agree"
  | "long"
  | "character"
  | "number"
  | "date"
  | "url"
  /** The address is one letter away from a well-known one; whoever sends it again is taken. */
  | "meant"
  /** Mail can't reach the address. */
  | "unreachable"
  | "unreachableMeant";

export type Answers = {
  readonly address: ParsedAddress;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** By the keys of custom fields. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** Null where nobody was asked. */
  readonly tracking: boolean | null;
};

export type Read =
  | { readonly answers: Answers; readonly faults?: undefined }
  | { readonly faults: ReadonlyMap<string, FaultKind> };

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const MOST_NAME = 200;
const MOST_TEXT = 1_000;
const MOST_URL = 2_000;

/** Names that the form doesn't ask for are ignored. */
export function readAnswers(
  asked: readonly AskedField[],
  asksTracking: boolean,
  sent: ReadonlyMap<string, string>,
): Read {
  const faults = new Map<string, FaultKind>();
  const values = new Map<string, string | number | boolean>();
  let address: ParsedAddress | undefined;
  for (const field of asked) {
    const text = (sent.get(field.name) ?? "").trim();
    const fault = faultOfText(field, text);
    if (fault) faults.set(field.name, fault);
    else if (field.name === "email") {
      const parsed = parseAddress(text);
      if (parsed.ok) address = parsed;
      else faults.set(field.name, faultOfAddress(parsed));
    } else if (text !== "" || field.custom?.type === "boolean") {
      const value = readValue(field, text);
      if (typeof value === "object") faults.set(field.name, value.fault);
      else values.set(field.name, value);
    }
  }
  if (!isTicked(sent, formInputs.consent)) faults.set(formInputs.consent, "agree");
  if (faults.size > 0 || !address) return { faults };
  const custom = asked.flatMap(({ name, custom: known }): [string, string | number | boolean][] => {
    const value = values.get(name);
    return known && value !== undefined ? [[known.key, value]] : [];
  });
  const nameOf = (name: string) => (values.get(name) as string | undefined) ?? null;
  return {
    answers: {
      address,
      firstName: nameOf("first_name"),
      lastName: nameOf("last_name"),
      fields: Object.fromEntries(custom),
      tracking: asksTracking ? isTicked(sent, formInputs.tracking) : null,
    },
  };
}

function isTicked(sent: ReadonlyMap<string, string>, name: string): boolean {
  return !["", "0", "false", "no", "off"].includes((sent.get(name) ?? "").trim().toLowerCase());
}

function faultOfText({ name, isRequired, custom }: AskedField, text: string): FaultKind | undefined {
  if (text === "") return isRequired ? "required" : undefined;
  if (CONTROLS.test(text) || !text.isWellFormed()) return "character";
  const most = custom ? (custom.type === "url" ? MOST_URL : MOST_TEXT) : MOST_NAME;
  return name !== "email" && [...text].length > most ? "long" : undefined;
}

function faultOfAddress({ reason }: AddressFault): FaultKind {
  if (reason === "empty") return "required";
  return reason === "single_label_domain" ? "noTop" : "email";
}

function readValue({ custom }: AskedField, text: string): string | number | boolean | { fault: FaultKind } {
  switch (custom?.type) {
    case "number": {
      const number = Number(text.replace(",", "."));
      return Number.isFinite(number) && /\d/.test(text) ? number : { fault: "number" };
    }
    case "boolean":
      return !["", "0", "false", "no", "off"].includes(text.toLowerCase());
    case "date":
      return isDate(text) ? text : { fault: "date" };
    case "url":
      return /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text) ? text : { fault: "url" };
    default:
      return text;
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
