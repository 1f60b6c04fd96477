/** Shapes what our own checks found in the campaign, and examines how large its mail is. */
import type { Check } from "../../../messages/schema.ts";
import type { ReportItem } from "../schema.ts";
import { item } from "./item.ts";

/** These are about where mail leaves from, and the report says it by itself, from what arrived. */
const ELSEWHERE = new Set(["unverified_domain", "no_bounce_path"]);

export function shapeChecks(checks: readonly Check[]): ReportItem[] {
  const shown = checks.filter(({ severity, code }) => severity !== "info" && !ELSEWHERE.has(code));
  if (shown.length === 0)
    return [item("content", "pass", "Our own checks find nothing wrong", "All checks of the campaign pass.")];
  return shown.map(({ code, severity, message, remedy, place, count }) => {
    const where = place ? `${place.part}, line ${place.line}, column ${place.column}` : "";
    const times = count > 1 ? `${count} times` : "";
    const evidence = [where, times].filter(Boolean).join("; ");
    const status = severity === "error" ? "fail" : "warn";
    return item(`content.${code}`, status, message, evidence, remedy === "" ? null : remedy);
  });
}

/** Gmail shows 102 KB of a mail's HTML and cuts off the rest; a whole mail beyond this is slow on a telephone. */
const LARGE_BYTES = 200 * 1_024;

export function examineSize(bytes: number): ReportItem {
  const evidence = `The whole mail has ${Math.max(1, Math.round(bytes / 1_024))} KB.`;
  if (bytes <= LARGE_BYTES) return item("size", "pass", "It is small enough", evidence);
  return item(
    "size",
    "warn",
    "It is large",
    evidence,
    "Refer to images by address in place of putting them into the mail, and shorten its HTML.",
  );
}
