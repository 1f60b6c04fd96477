/** The variables of a template: what may be declared, and whether the values that a program gives fit. Nothing here does I/O. */
import { escapePointer } from "../platform/http/bodies/validation.ts";
import type { Fault } from "../platform/problems.ts";
import type { VariableType } from "./schema.ts";

export type Variable = {
  readonly name: string;
  readonly type: VariableType;
  readonly required: boolean;
  /** null is none. */
  readonly sample: unknown;
  readonly default: unknown;
};

type GivenVariable = Pick<Variable, "name" | "type"> & Partial<Variable>;
type Values = Readonly<Record<string, unknown>>;

const LONGEST_STRING = 100_000;
const DEEPEST = 8;
const MOST_ITEMS = 10_000;
const MOST_BYTES = 256 * 1_024;
/** Pages have the variables of 200 templates, with their samples and defaults. */
const MOST_DECLARED_BYTES = 64 * 1_024;

/** Liquid reads these words as something else than a variable, and no body may have the last. */
const RESERVED: ReadonlySet<string> = new Set(
  "true false nil null empty blank and or not contains in forloop tablerowloop __proto__".split(" "),
);

export function readVariables(given: readonly GivenVariable[]): {
  readonly variables: readonly Variable[];
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const variables = given.map((one, nth): Variable => {
    const pointer = `/variables/${nth}`;
    if (RESERVED.has(one.name))
      faults.push({
        pointer: `${pointer}/name`,
        code: "reserved",
        detail: `${one.name} means something else`,
      });
    if (seen.has(one.name))
      faults.push({
        pointer: `${pointer}/name`,
        code: "duplicate",
        detail: "is the name of another variable",
      });
    seen.add(one.name);
    for (const field of ["sample", "default"] as const) {
      const wrong = faultOf(one.type, one[field] ?? null);
      if (wrong) faults.push({ pointer: `${pointer}/${field}`, ...wrong });
    }
    return {
      name: one.name,
      type: one.type,
      required: one.required ?? false,
      sample: one.sample ?? null,
      default: one.default ?? null,
    };
  });
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes > MOST_DECLARED_BYTES)
    faults.push({ pointer: "/variables", code: "too_large", detail: "have more than 64 KB as JSON" });
  return { variables, faults };
}

export type ReadValues = {
  /** A value for each variable that has one: as it was given, else its default. */
  readonly values: Values;
  /** The variables without a value that are required, or have no default. */
  readonly missing: readonly string[];
  readonly faults: readonly Fault[];
};

/** Reads what was given for the variables. What is unknown or of another type is a fault; strictly, so is a missing one that is required. */
export function readValues(variables: readonly Variable[], given: Values, isStrict: boolean): ReadValues {
  const names = new Set(variables.map(({ name }) => name));
  const faults: Fault[] = Object.keys(given)
    .filter((name) => !names.has(name))
    .slice(0, 100)
    .map((name) => ({
      pointer: pointerOf(name),
      code: "unknown_variable",
      detail: "the template has no such variable",
    }));
  if (Buffer.byteLength(JSON.stringify(given)) > MOST_BYTES)
    return { values: {}, missing: [], faults: [{ pointer: "/variables", ...TOO_LARGE }] };
  const values: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const { name, type, required, default: preset } of variables) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    if (value === null || value === undefined) {
      if (required || preset === null) missing.push(name);
      if (required && isStrict)
        faults.push({
          pointer: pointerOf(name),
          code: "required",
          detail: "the template can't do without it",
        });
      if (preset !== null) values[name] = preset;
      continue;
    }
    const wrong = faultOf(type, value);
    if (wrong) faults.push({ pointer: pointerOf(name), ...wrong });
    else values[name] = value;
  }
  return { values, missing, faults };
}

function pointerOf(name: string): string {
  return `/variables/${escapePointer(name)}`;
}

const STAND_INS: Readonly<Record<VariableType, unknown>> = {
  string: "Sample",
  number: 42,
  boolean: true,
  date: "2026-11-14",
  list: [],
  object: {},
};

/** Returns values to look at a template with: samples, else defaults, else something of the type. */
export function sampleValues(variables: readonly Variable[]): Values {
  return Object.fromEntries(
    variables.map(({ name, type, sample, default: preset }) => [name, sample ?? preset ?? STAND_INS[type]]),
  );
}

const TOO_LARGE = { code: "too_large", detail: "all together have more than 256 KB as JSON" };
const WORDS: Readonly<Record<VariableType, string>> = {
  string: `text of at most ${LONGEST_STRING.toLocaleString("en")} characters`,
  number: "a number",
  boolean: "true or false",
  date: "a date such as 2026-11-14, or a time such as 2026-11-14T09:30:00Z",
  list: "a list",
  object: "an object",
};

function faultOf(type: VariableType, value: unknown): Omit<Fault, "pointer"> | undefined {
  if (value === null) return undefined;
  if (!isOfType(type, value)) return { code: "invalid_type", detail: `must be ${WORDS[type]}` };
  if (typeof value !== "object" || isShallow(value)) return undefined;
  return {
    code: "too_large",
    detail: `must have at most ${MOST_ITEMS.toLocaleString("en")} items, and no more than ${DEEPEST} inside each other`,
  };
}

function isOfType(type: VariableType, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string" && value.length <= LONGEST_STRING;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return typeof value === "string" && isDate(value);
    case "list":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/i;

/** A Date would turn 30 February into a day of March, so the day is looked at by itself too. */
function isDate(text: string): boolean {
  const day = DATE.exec(text)?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  return (
    !Number.isNaN(midnight.getTime()) &&
    midnight.toISOString().startsWith(`${day}`) &&
    !Number.isNaN(new Date(text).getTime())
  );
}

/** Keeps its own stack, as whatever walks through what others sent. */
function isShallow(value: object): boolean {
  const unread: { readonly one: object; readonly depth: number }[] = [{ one: value, depth: 1 }];
  let items = 0;
  for (let entry = unread.pop(); entry; entry = unread.pop()) {
    const inside = Object.values(entry.one);
    items += inside.length;
    if (entry.depth > DEEPEST || items > MOST_ITEMS) return false;
    for (const one of inside) {
      if (typeof one === "object" && one !== null) unread.push({ one, depth: entry.depth + 1 });
    }
  }
  return true;
}
