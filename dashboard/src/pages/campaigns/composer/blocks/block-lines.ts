/** Writes a mail of blocks as lines that people compare: each block by its kind, and below it what it says and has. Nothing is left out. */
import type { BlocksDocument } from "../../../../api/openapi.ts";

const STEP = "  ";

export function blockLines({ blocks, ...head }: BlocksDocument): string {
  const { version: _version, ...rest } = head;
  return [...linesOf(rest, ""), ...blocks.flatMap((block) => linesOf(block, ""))].join("\n");
}

/** The id is for programs, and the kind stands above the rest. */
function linesOf(value: object, indent: string): string[] {
  const { id: _id, type, ...members } = value as Readonly<Record<string, unknown>>;
  const inner = type === undefined ? indent : indent + STEP;
  const lines = Object.entries(members).flatMap(([name, member]) => memberLines(name, member, inner));
  return type === undefined ? lines : [indent + String(type), ...lines];
}

function memberLines(name: string, value: unknown, indent: string): string[] {
  if (Array.isArray(value)) {
    if (value.every(isInline)) return [`${indent}${name}: ${value.map(wordsOf).join("")}`];
    return value.flatMap((one, at) => memberLines(`${name} ${at + 1}`, one, indent));
  }
  if (typeof value !== "object" || value === null) return [`${indent}${name}: ${String(value ?? "")}`];
  return [`${indent}${name}`, ...linesOf(value, indent + STEP)];
}

type Inline = Readonly<Record<string, unknown>>;

function isInline(value: unknown): value is Inline {
  const { type } = (value ?? {}) as Inline;
  return type === "text" || type === "variable" || type === "break";
}

/** How words look stands in brackets behind them. */
function wordsOf({ type, text, name, fallback, ...looks }: Inline): string {
  if (type === "break") return " / ";
  const words = type === "variable" ? `{${String(fallback ?? name)}}` : String(text);
  const said = Object.entries(looks)
    .filter(([, value]) => value !== false)
    .map(([look, value]) => (value === true ? look : `${look} ${String(value)}`));
  return said.length === 0 ? words : `${words} [${said.join(", ")}]`;
}
