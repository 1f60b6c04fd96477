/**
 * The providers that tell senders who complained, by a feedback loop that a sender enrols in. Gathered in November 2026 from the providers'
 * postmaster pages and the list of the Universal Feedback Loop (https://www.validity.com/everest/fbl). All others tell nobody: Gmail
 * shows a rate in Postmaster Tools alone, and Apple nothing.
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
