/** Says which links of a message are sent as they are, so that nobody wonders where their clicks are. */
import type { CompiledContent } from "../../content/content.ts";
import type { Message } from "../message.ts";
import type { Check } from "../schema.ts";

/** The rest of them is one check with their count. */
const SHOWN = 10;
const LONGEST_EXCERPT = 60;

export function checkUntrackedLinks(
  { mjml, blocks }: Pick<Message, "mjml" | "blocks">,
  { untracked = [] }: Pick<CompiledContent, "untracked">,
): Check[] {
  const part = blocks !== null ? "blocks" : mjml === null ? "html" : "mjml";
  const checks = untracked.slice(0, SHOWN).map(({ url, why, place }): Check => {
    const excerpt = url.slice(0, LONGEST_EXCERPT);
    return info(`Clicks on this link aren't counted, because ${why}.`, place && { part, ...place, excerpt });
  });
  const more = untracked.length - checks.length;
  if (more > 0) checks.push({ ...info(`Clicks on ${more} more links aren't counted.`, null), count: more });
  return checks;
}

function info(message: string, place: Check["place"]): Check {
  return {
    code: "link_not_tracked",
    severity: "info",
    message,
    remedy:
      "Write scheme and host out, and use only variables of the recipient, where clicks are to be counted.",
    place,
    count: 1,
  };
}
