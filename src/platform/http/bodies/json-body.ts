import { AppError, type Fault, invalid, malformedJson } from "../../problems.ts";
import { escapePointer, isStorable, UNSTORABLE } from "./validation.ts";

const DEEPEST = 32;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Returns undefined for an empty body: actions need none, and the schema says where one is required. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw new AppError(malformedJson, describe(error as Error));
  }
  const faults = findUnstorable(value);
  if (faults.length > 0) throw invalid(...faults);
  return value;
}

function describe(error: Error): string {
  if (error instanceof TypeError) return "the body isn't valid UTF-8";
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
  return position ? `the body isn't valid JSON: it breaks ${position}` : "the body isn't valid JSON";
}

/**
 * Finds what JSON allows and PostgreSQL can't store: NUL and lone surrogates; and `__proto__` as a key, which careless
 * copying turns into a prototype. It throws where the nesting is too deep, and keeps its own stack, so that no nesting can
 * exhaust the call stack.
 */
export function findUnstorable(body: unknown): Fault[] {
  const faults: Fault[] = [];
  const unread: { value: unknown; path: string; depth: number }[] = [{ value: body, path: "", depth: 0 }];
  for (let entry = unread.pop(); entry; entry = unread.pop()) {
    const { value, path, depth } = entry;
    if (typeof value === "string") {
      if (!isStorable(value)) faults.push({ pointer: path, ...UNSTORABLE });
    } else if (typeof value === "object" && value !== null) {
      if (depth >= DEEPEST)
        throw new AppError(malformedJson, `the body is nested over ${DEEPEST} levels deep`);
      for (const [key, child] of Object.entries(value)) {
        const childPath = `${path}/${escapePointer(key)}`;
        if (key === "__proto__" || !isStorable(key)) faults.push({ pointer: childPath, ...UNSTORABLE });
        if (typeof child === "string" || typeof child === "object") {
          unread.push({ value: child, path: childPath, depth: depth + 1 });
        }
      }
    }
  }
  return faults.slice(0, 100);
}
