import type { Value } from "./forms/differences.ts";

/** A value as people write it; a dash where there is none. */
export function ShownValue({ value }: { value: Value }) {
  if (value === null || value === undefined) return <span className="dim">–</span>;
  if (typeof value === "boolean") return value ? "✓" : "✗";
  return <span className="cell-text">{String(value)}</span>;
}
