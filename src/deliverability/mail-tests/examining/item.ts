/** What the parts of a report are made of. */
import type { SessionFacts } from "../../../mail/smtp-server/smtp-server.ts";
import type { ReportItem, Verdict } from "../schema.ts";

const MOST_WORDS = 2_000;

/** Text of strangers stands in the evidence, so it is cut, and holds no characters that turn the rest around. */
export function item(
  key: string,
  status: Verdict,
  title: string,
  evidence: string,
  remedy: string | null = null,
): ReportItem {
  return { key, status, title, evidence: plain(evidence), remedy: status === "pass" ? null : remedy };
}

function plain(text: string): string {
  const cut = text.slice(0, MOST_WORDS).toWellFormed();
  // Everything of Unicode's category of controls and formats but the line feed.
  return cut.replaceAll(/[^\P{C}\n]/gu, "�");
}

/** Where a mail came from, as its session showed it. */
export type Origin = SessionFacts & {
  /** Says why this isn't the address that the world sees; null where it is. */
  readonly hiddenBy: string | null;
};
