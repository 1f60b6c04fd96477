/**
 * The score begins at 10, and what is found takes points off: all that an item weighs where it fails, half of that where it warns.
 * What isn't known costs nothing, so that a score is never worse for what we could not ask.
 */
import type { MailTestReport, ReportItem } from "./schema.ts";

/** The weights are our judgement: no proof of the author weighs most, since large providers refuse mail for that. */
const WEIGHTS: Readonly<Record<string, number>> = {
  dkim: 3,
  dmarc: 2.5,
  spf: 1.5,
  ptr: 1.5,
  helo: 0.5,
  tls: 1,
  list_unsubscribe: 1.5,
  one_click: 1,
  one_click_signed: 1,
  size: 0.5,
  spamassassin: 3,
  rspamd: 3,
  blocklists: 3,
};
/** Each of our own checks weighs this, and all of them together no more than that. */
const CONTENT_WEIGHT = 0.5;
const MOST_CONTENT = 2;
const FULL = 10;

export function scoreItems(items: readonly ReportItem[]): Pick<MailTestReport, "score" | "deductions"> {
  let ofContent = 0;
  const deductions = items.flatMap(({ key, status }) => {
    const isContent = key.startsWith("content.");
    const weight = isContent ? CONTENT_WEIGHT : (WEIGHTS[key] ?? 0);
    const share = status === "fail" ? 1 : status === "warn" ? 0.5 : 0;
    const points = isContent ? Math.min(weight * share, MOST_CONTENT - ofContent) : weight * share;
    if (isContent) ofContent += points;
    return points > 0 ? [{ key, points, most: weight }] : [];
  });
  const off = deductions.reduce((sum, { points }) => sum + points, 0);
  return {
    score: Math.round(Math.max(0, FULL - off) * 10) / 10,
    deductions: deductions.toSorted((one, other) => other.points - one.points),
  };
}
