/** The value of a variable as somebody types it, and as the API has it. */
import type { Template } from "../../../api/openapi.ts";

export type Variable = Template["variables"][number];
export type VariableType = Variable["type"];

export const VARIABLE_TYPES = ["string", "number", "boolean", "date", "list", "object"] as const;

/** What is no value of the type stays a text, which the service refuses with the words for it. An empty field is none. */
export function readTyped(type: VariableType, text: string): unknown {
  if (text === "" || (type !== "string" && text.trim() === "")) return null;
  if (type === "string" || type === "date") return type === "date" ? text.trim() : text;
  if (type === "number") return Number.isFinite(Number(text)) ? Number(text) : text;
  return readJson(text);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function textOfValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The values to look at a template with; a variable without a sample and without a default has none. */
export function samplesOf(variables: readonly Variable[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variables
      .map(({ name, sample, default: preset }) => [name, sample ?? preset] as const)
      .filter(([name, value]) => name !== "" && value !== null && value !== undefined),
  );
}

const STAND_INS: Readonly<Record<VariableType, unknown>> = {
  string: "…",
  number: 42,
  boolean: true,
  date: "2026-11-14",
  list: [],
  object: {},
};

/** A value for each variable, for an example of a request. */
export function exampleValues(variables: readonly Variable[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variables.map(({ name, type, sample, default: preset }) => [name, sample ?? preset ?? STAND_INS[type]]),
  );
}
