/** Whether two blocks say and show the same. The order of members, and how words are cut into pieces, means nothing. */
import { plainInlines } from "./inlines.ts";
import type { Inline } from "./types.ts";

export function isSameBlock(one: unknown, other: unknown): boolean {
  return isSame(plain(one), plain(other));
}

/** A value in the form in which the editor gives it back. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const values: unknown[] = value;
    return isInlines(values) ? plainInlines(values) : values.map(plain);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, plain(one)]),
  );
}

const INLINES: ReadonlySet<unknown> = new Set(["text", "variable", "break"]);

function isInlines(values: unknown[]): values is Inline[] {
  return values.every(isInline);
}

function isInline(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, content } = value as Record<string, unknown>;
  return INLINES.has(type) && content === undefined && (type !== "text" || typeof text === "string");
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [Object.entries(one), Object.entries(other)];
  return (
    mine.length === theirs.length &&
    mine.every(
      ([name, value]) =>
        Object.hasOwn(other, name) && isSame(value, (other as Record<string, unknown>)[name]),
    )
  );
}
