/** What a column of a file may become, in the groups in which it is offered. */
import type { Choice, Draft } from "./draft.ts";

export const TARGET_GROUPS = {
  person: ["email", "full_name", "first_name", "last_name", "tags", "locale", "time_zone"],
  joining: ["opted_in_at", "opt_in_ip", "opt_in_source", "confirmed_at", "confirm_ip", "tracking_consent"],
  state: [
    "status",
    "is_unsubscribed",
    "is_bounced",
    "is_complained",
    "is_suppressed",
    "unsubscribed_at",
    "unsubscribe_reason",
  ],
  data: ["attributes"],
} as const;

export const SUPPRESSION_TARGETS = ["email", "contact_id", "reason", "source", "created_at"] as const;

export const optionOf = (choice: Choice | undefined) =>
  choice === undefined ? "ignore" : typeof choice === "string" ? choice : "new";

/** The columns that have the same target as another: each target may be used once. */
export function twinsIn({ choices }: Draft): readonly string[] {
  const byTarget = Map.groupBy(
    Object.entries(choices).filter(([, choice]) => choice !== "ignore"),
    ([, choice]) => (typeof choice === "string" ? choice : `fields.${choice.make.key}`),
  );
  return [...byTarget.values()]
    .filter((same) => same.length > 1)
    .flatMap((same) => same.map(([name]) => name));
}

/** A key for a field, from a heading in any language; the digits of a heading may not lead. */
export function keyFor(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[_\d]+|_+$/g, "")
    .slice(0, 50);
  const base = plain || "field";
  let key = base;
  for (let again = 2; taken.includes(key); again++) key = `${base}_${again}`;
  return key;
}
