/**
 * Looks a mail over before it is sent: what would be cut off, blocked, unreadable, against the rules, or not meant.
 * Takes the message as one recipient would get it and answers with findings; it reads no database and no network.
 * Linear in the size of the mail, whatever is in it.
 */
import type { Fault, Finding, Message, Severity } from "./message.ts";
import { createLocator, type Locate, type Reading, readMessage } from "./reading/reading.ts";
import { listRules, type Rule } from "./rules/rules.ts";

export type { Finding, Message, Severity } from "./message.ts";

/** Twice what the API takes. Whatever lies beyond, no client shows it; a second is what this much may cost. */
const MAX_CHARACTERS = 1_000_000;
/** Faults shown of one kind; the rest of them are a number. */
const SHOWN = 10;
const order: readonly Severity[] = ["error", "warning", "info"];

/** The worst first, and otherwise in the order of the table and of the mail. */
export async function checkMessage(message: Message): Promise<Finding[]> {
  if (message.html.length + (message.text?.length ?? 0) > MAX_CHARACTERS) return [tooLarge];
  const reading = readMessage(message);
  const locate = createLocator(message);
  const rules = await listRules();
  const findings = rules.flatMap((rule) => applyRule(rule, reading, locate));
  return findings.sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
}

const tooLarge: Finding = {
  code: "too_large",
  severity: "error",
  place: null,
  message: "The mail has more than 1,000,000 characters, so nothing else of it was looked at.",
  remedy: "Shorten it: Gmail shows 102 KB. Put pictures on a server rather than into the HTML.",
  count: 1,
};

function applyRule(rule: Rule, reading: Reading, locate: Locate): Finding[] {
  const shown: Fault[] = [];
  let count = 0;
  for (const fault of rule.find(reading)) {
    if (count < SHOWN) shown.push(fault);
    count++;
  }
  const { code, severity, remedy } = rule;
  const findings = shown.map(
    (fault): Finding => ({
      code,
      severity: fault.severity ?? severity,
      place: fault.at ? locate(fault.at) : null,
      message: fault.message,
      remedy: fault.remedy ?? remedy,
      count: 1,
    }),
  );
  const more = count - shown.length;
  const last = findings.at(-1);
  if (more > 0 && last) findings.push({ ...last, place: null, message: sayMore(more), count: more });
  return findings;
}

function sayMore(count: number): string {
  return count === 1
    ? "There is one more of this kind."
    : `There are ${count.toLocaleString("en")} more of this kind.`;
}
