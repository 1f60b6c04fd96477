import type { NamedResult, Status } from "./check.ts";

const MARKS: Readonly<Record<Status, string>> = { ok: "✓", warn: "!", fail: "✗", info: "–" };

/** Each check gets a line, and below it stands what to do. */
export function formatReport(results: readonly NamedResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length)) + 2;
  const lines = results.flatMap(({ name, status, finding, remedy }) => [
    `${MARKS[status]} ${name.padEnd(width)}${finding}`,
    ...(remedy ? [`  ${" ".repeat(width)}→ ${remedy}`] : []),
  ]);
  return `${lines.join("\n")}\n\n${summary(results)}\n`;
}

/** A program gets the same as one array, with `remedy: null` where there is nothing to do. */
export function formatJson(results: readonly NamedResult[]): string {
  const rows = results.map(({ name, status, finding, remedy }) => ({
    name,
    status,
    finding,
    remedy: remedy ?? null,
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

function summary(results: readonly NamedResult[]): string {
  const count = (status: Status) => results.filter((result) => result.status === status).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed + warned === 0) return "Nothing is wrong.";
  const parts = [
    ...(failed > 0 ? [`${failed} ${failed === 1 ? "thing is" : "things are"} wrong`] : []),
    ...(warned > 0 ? [`${warned} ${warned === 1 ? "deserves" : "deserve"} a look`] : []),
  ];
  return `${parts.join(", ")}.`;
}
