/**
 * Checks look a mail over before it is sent, for what would be cut off, blocked, unreadable, against the rules, or
 * not meant. They take the message as one recipient would get it and return findings. They read neither database nor
 * network, and take time linear in the size of the mail, whatever is in it.
 */
import type { Finding, Message, RuleFault, Severity } from "./message.ts";
import { createLocator, type Locate, type Reading, readMessage } from "./reading/reading.ts";
import { listRules, type Rule } from "./rules/rules.ts";

export type { Finding, Message, Severity } from "./message.ts";
export { isFreeMail } from "./rules/rules.ts";

/** This is twice what the API accepts. No client shows what lies beyond it, and checking this much may take a second. */
const MAX_CHARACTERS = 1_000_000;
/** The number of faults of one kind that are shown; those beyond it are only counted. */
const SHOWN = 10;
const order: readonly Severity[] = ["error", "warning", "info"];

/** Returns the worst findings first, and within a severity in the order of the rules and of the mail. */
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
  const shown: RuleFault[] = [];
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
