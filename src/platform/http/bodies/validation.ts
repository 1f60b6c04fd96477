/** Checks values against route schemas, and names every fault in words and codes of ours. */
import { _, Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formatsPlugin from "ajv-formats";
import type { TObject, TSchema } from "typebox";
import type { Fault } from "../../problems.ts";
import { writeOnce } from "./shared-schemas.ts";

const MOST_FAULTS = 100;

export type Check = (value: unknown) => readonly Fault[];

const OPTIONS = {
  allErrors: true,
  useDefaults: true,
  removeAdditional: false,
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  discriminator: true,
  // Most of the time that a large schema takes to compile would go into making its code shorter.
  code: { optimize: false },
};
const KEYWORDS = [
  "x-id-prefix",
  "x-error-code",
  "x-error-detail",
  "x-as-stored",
  "x-checked-later",
  "x-kinds",
];

/**
 * Names stand in menus, subjects and logs: none has line breaks or other control characters in it, nor those that turn the direction of what
 * stands beside it (Unicode UAX #9, "explicit formatting").
 */
function isOneLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text);
}

/** Compiles each schema when it is first asked for: all together would take a start seconds, of which most are never used. */
export function createValidation() {
  const ajv = new Ajv(OPTIONS);
  // ajv-formats is CommonJS: its default export sits one level down, in its types as well.
  formatsPlugin.default(ajv, ["uri"]);
  ajv.addFormat("date-time", isTimestamp);
  ajv.addFormat("iana-time-zone", isTimeZone);
  ajv.addFormat("one-line", isOneLine);
  for (const keyword of KEYWORDS) ajv.addKeyword(keyword);
  ajv.removeKeyword("maxLength").addKeyword({
    keyword: "maxLength",
    type: "string",
    schemaType: "number",
    validate: isWithin,
    errors: false,
    error: { message: "is too long", params: ({ schema }) => _`{limit: ${schema}}` },
  });
  return {
    body: (schema: TSchema): Check => checker(() => ajv.compile(writeOnce(schema)), bodyFault),
    query: (schema: TObject): Check => {
      const check = checker(() => ajv.compile(schema), queryFault);
      return (query) => {
        const given = query as Record<string, unknown>;
        readQuery(schema, given);
        return [...unstorableParameters(given), ...check(given)];
      };
    },
    /** Path parameters need no list of faults, because the answer to a wrong one is 404. */
    params: (schema: TSchema): ((value: unknown) => boolean) => {
      let validate: ValidateFunction | undefined;
      return (value) => {
        validate ??= ajv.compile(schema);
        return validate(value);
      };
    },
  };
}

/**
 * Converts a query's text: "50" becomes the number 50, and one value of a repeatable parameter a list of one. Ajv's own
 * coercion would take "0x10" for 16 and let "Infinity" past every maximum.
 */
function readQuery(schema: TObject, query: Record<string, unknown>): void {
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = query[name];
    const { type, items } = property as { type?: string; items?: { type?: string } };
    if (given === undefined) continue;
    query[name] =
      type === "array" ? [given].flat().map((one) => readText(items?.type, one)) : readText(type, given);
  }
}

function readText(type: string | undefined, given: unknown): unknown {
  if (typeof given !== "string") return given;
  if (type === "integer" && /^-?\d{1,15}$/.test(given)) return Number(given);
  if (type === "boolean" && /^(true|false)$/.test(given)) return given === "true";
  return given;
}

function unstorableParameters(query: Record<string, unknown>): Fault[] {
  const hasFault = (value: unknown) =>
    [value].flat().some((one) => typeof one === "string" && !isStorable(one));
  const names = Object.keys(query).filter((name) => hasFault(query[name]));
  return names.map((parameter) => ({ parameter, ...UNSTORABLE }));
}

/**
 * Counts characters, as Ajv does, and not UTF-16 units; but only where the units are too many. The count of a mail of 10 KB
 * takes 25 µs, and nearly every text is well within its limit.
 */
function isWithin(most: number, text: string): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && [...text].length <= most;
}

/** PostgreSQL can't store NUL or half of a surrogate pair as text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export const UNSTORABLE = {
  code: "invalid_character",
  detail: "has a NUL, half a surrogate pair or a forbidden name in it",
};

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)t(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i;

/**
 * Follows RFC 3339 §5.6, without what a Date or PostgreSQL can't hold: leap seconds, years outside 1 to 9999, and offsets
 * beyond 15:59, which no clock on earth has.
 */
export function isTimestamp(text: string): boolean {
  const day = RFC_3339.exec(text)?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  // A Date would turn 30 February into a day of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(`${day}`)) return false;
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9_999;
}

function isTimeZone(name: string): boolean {
  try {
    // Intl also accepts offsets such as "+01:00", but they have no summer time, so only names are allowed.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function checker(compile: () => ValidateFunction, toFault: (error: ErrorObject) => Fault | undefined): Check {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile();
    if (validate(value)) return [];
    const faults = withoutRepeats(validate.errors ?? [])
      .map(toFault)
      .filter((fault) => fault !== undefined);
    return faults.slice(0, MOST_FAULTS);
  };
}

/** What isn't even of the right type is no allowed value either, which is one fault and not two. */
function withoutRepeats(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const placeOf = ({ instancePath, schemaPath, keyword }: ErrorObject) =>
    `${instancePath} ${schemaPath.slice(0, -keyword.length)}`;
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === "type").map(placeOf));
  return errors.filter((error) => error.keyword !== "enum" || !mistyped.has(placeOf(error)));
}

function bodyFault(error: ErrorObject): Fault | undefined {
  const described = describe(error);
  if (!described) return undefined;
  return {
    pointer: error.instancePath + (described.child === undefined ? "" : `/${escapePointer(described.child)}`),
    ...described.fault,
  };
}

function queryFault(error: ErrorObject): Fault | undefined {
  const described = describe(error);
  if (!described) return undefined;
  const parameter = described.child ?? error.instancePath.split("/")[1] ?? "";
  const unknown = described.fault.code === "unknown_field";
  return {
    parameter,
    ...(unknown ? { code: "unknown_parameter", detail: "is not a parameter here" } : described.fault),
  };
}

type Described = { child?: string; fault: { code: string; detail: string } };

/** Turns Ajv's keyword into a code of ours; undefined for errors that only repeat what another one says better. */
function describe(error: ErrorObject): Described | undefined {
  const say = (code: string, detail: string, child?: string): Described => ({
    fault: { code, detail },
    ...(child !== undefined && { child }),
  });
  const own = error.parentSchema as { "x-error-code"?: string; "x-error-detail"?: string } | undefined;
  const { params } = error;
  switch (error.keyword) {
    case "required":
      return say("required", "is required", params["missingProperty"]);
    case "additionalProperties":
      return say("unknown_field", "is not a field here", params["additionalProperty"]);
    case "type":
      return say("invalid_type", `must be ${list(params["type"])}`);
    case "enum":
      return say("invalid_value", `must be one of ${list(params["allowedValues"])}`);
    case "const":
      return say("invalid_value", `must be ${JSON.stringify(params["allowedValue"])}`);
    case "minLength":
      return params["limit"] === 1
        ? say("required", "must not be empty")
        : say("too_short", `must have at least ${params["limit"]} characters`);
    case "maxLength":
      return say("too_long", `must have at most ${params["limit"]} characters`);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return say("out_of_range", `must be ${params["comparison"]} ${params["limit"]}`);
    case "minItems":
      return say("too_few", `must have at least ${params["limit"]} items`);
    case "maxItems":
      return say("too_many", `must have at most ${params["limit"]} items`);
    case "maxProperties":
      return say("too_many", `must have at most ${params["limit"]} members`);
    case "minProperties":
      return say("too_few", `must have at least ${params["limit"]} members`);
    case "uniqueItems":
      return say("duplicate", `items ${params["j"]} and ${params["i"]} are the same`);
    case "format":
    case "pattern":
      // A blank name is another fault of the same schema, and has its own code.
      if (params["format"] === "one-line")
        return say("invalid_name", "must be one line, without control characters or changes of direction");
      return say(
        own?.["x-error-code"] ?? "invalid_format",
        own?.["x-error-detail"] ??
          (params["format"] ? `must be a ${params["format"]}` : "has the wrong form"),
      );
    case "discriminator":
      return params["tagValue"] === undefined
        ? say("required", "is required", params["tag"])
        : say("invalid_value", `must be one of ${list(namesOf(error))}`, params["tag"]);
    case "anyOf":
    case "oneOf":
      return say("invalid_value", "matches none of the allowed forms");
    case "if":
    case "propertyNames":
      return undefined;
    default:
      return say("invalid_value", error.message ?? "is not valid");
  }
}

/** The names that tell the forms of an object apart. */
function namesOf({ parentSchema }: ErrorObject): unknown {
  return parentSchema?.["x-kinds"] ?? [];
}

function list(value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  return items.map(String).join(", ");
}

export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
