/** Says of which rules somebody may come to match, or cease to, although nothing happened to them that an event tells of. */
import { isEngagement, isEvent, isGroup, type Leaf, type Rule } from "./rules.ts";

const BY_TIME: ReadonlySet<string> = new Set(["in_last_days", "not_in_last_days", "in_next_days"]);
const BY_MAIL: ReadonlySet<string> = new Set(["any_of_last", "none_of_last"]);

/** True for rules that depend on what time it is, on what is mailed to others, or on another list. */
export function isRelative(rule: Rule): boolean {
  if (!isGroup(rule)) return isRelativeLeaf(rule);
  if ("not" in rule) return isRelative(rule.not);
  return ("all" in rule ? rule.all : rule.any).some(isRelative);
}

function isRelativeLeaf(leaf: Leaf): boolean {
  // Custom events are kept for some hundred days, so every such rule is about a time.
  if (isEvent(leaf)) return true;
  // That somebody was mailed, or that a machine looked at the mail, is no event that automations read.
  if (isEngagement(leaf))
    return leaf.field === "sent" || leaf.machines === true || BY_TIME.has(leaf.op) || BY_MAIL.has(leaf.op);
  // That a sunset policy warns somebody is no event.
  return leaf.field === "list" || leaf.field === "dormancy" || BY_TIME.has(leaf.op);
}
