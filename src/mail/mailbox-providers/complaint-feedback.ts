/**
 * The providers that tell senders who complained, by a feedback loop that a sender enrols in. Gathered in November 2026: Yahoo's and Microsoft's
 * (JMRP) stand on their own pages, which were read; the others are those of the Universal Feedback Loop (https://www.validity.com/everest/fbl),
 * whose list wasn't. All others tell nobody: Gmail shows a rate in Postmaster Tools alone, and Apple has none (support.apple.com/102322).
 */
const FEEDBACK_LOOPS: ReadonlySet<string> = new Set([
  "yahoo",
  "att",
  "microsoft",
  "comcast",
  "cox",
  "charter",
  "fastmail",
  "mailru",
  "italiaonline",
  "seznam",
  "zoho",
  "rackspace",
  "orange",
  "sfr",
  "free",
  "laposte",
  "btinternet",
]);

/** Returns whether complaints at this provider are reported; else their number is unknown, and never 0. */
export function reportsComplaints(provider: string): boolean {
  return FEEDBACK_LOOPS.has(provider);
}
