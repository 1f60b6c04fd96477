/** Shapes what spam filters and blocklists say of the mail. */
import type { SpamVerdict } from "../../../mail/spam-filters/spam-filters.ts";
import type { ReportItem } from "../schema.ts";
import { item, type Origin } from "./item.ts";

const NAMES = { spamassassin: "SpamAssassin", rspamd: "rspamd" } as const;
export type FilterName = keyof typeof NAMES;

const MOST_RULES = 20;

export function shapeVerdict(filter: FilterName, verdict: SpamVerdict): ReportItem {
  const name = NAMES[filter];
  if (verdict.kind === "failed")
    return item(filter, "unknown", `${name} didn't say anything`, `${name}: ${verdict.detail}.`);
  const { score, threshold, rules } = verdict;
  const lines = rules
    .slice(0, MOST_RULES)
    .map((rule) => `${rule.points > 0 ? "+" : ""}${rule.points} ${rule.name} ${rule.description}`.trimEnd());
  const evidence = [`${name} gives ${score} points; spam begins at ${threshold}.`, ...lines].join("\n");
  const remedy = "Look at the rules with the most points: each says what to change.";
  if (score >= threshold) return item(filter, "fail", `${name} calls it spam`, evidence, remedy);
  if (score >= threshold / 2)
    return item(filter, "warn", `${name} is halfway to calling it spam`, evidence, remedy);
  return item(filter, "pass", `${name} finds it harmless`, evidence);
}

export const NO_FILTER: ReportItem = item(
  "spam_filter",
  "unknown",
  "No spam filter is asked",
  "Neither SPAMD nor RSPAMD_URL is set.",
  "Run spamd or rspamd beside Postrider, and set SPAMD=host:port or RSPAMD_URL to have its judgement here.",
);

/** What a list says of an address, as the blocklists' own room tells it. */
export type ListAnswer = {
  readonly zone: string;
  readonly name: string;
  readonly status: "clear" | "listed" | "unknown";
  readonly detail: string | null;
  readonly url: string | null;
};

export function shapeLists({ ip, hiddenBy }: Origin, answers: readonly ListAnswer[] | null): ReportItem {
  const key = "blocklists";
  if (hiddenBy !== null)
    return item(key, "unknown", "Blocklists weren't asked", `${hiddenBy}, which no list is about.`);
  const known = (answers ?? []).filter(({ status }) => status !== "unknown");
  if (answers === null || known.length === 0)
    return item(
      key,
      "unknown",
      "Blocklists weren't asked",
      "No list answers here.",
      "Blocklists says which lists are asked, and why they are off.",
    );
  const listed = known.filter(({ status }) => status === "listed");
  if (listed.length === 0)
    return item(
      key,
      "pass",
      "No blocklist has its address",
      `${ip} isn't on ${known.map(({ name }) => name).join(", ")}.`,
    );
  const evidence = listed
    .map(({ name, detail, url }) => [`${ip} is on ${name}.`, detail, url].filter(Boolean).join(" "))
    .join("\n");
  return item(
    key,
    "fail",
    listed.length === 1 ? "A blocklist has its address" : `${listed.length} blocklists have its address`,
    evidence,
    "Find what was sent from this address, stop it, and then ask the list to remove it. At a shared relay, ask its provider.",
  );
}
