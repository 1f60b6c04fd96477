/** Looks a rendered template over as the mail of a program, and says what publishing or sending it would stumble over. */
import type { ContentWorkers } from "../content/content.ts";
import type { Check } from "../messages/messages.ts";
import type { TemplateContent } from "./content.ts";
import type { UndeclaredName } from "./undeclared.ts";

/** Whoever sends the mail is known only then. */
const OF_SENDING = "missing_from";
const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;

export async function checkTemplate(
  workers: Pick<ContentWorkers, "check">,
  accountId: string,
  { preview_text: previewText }: TemplateContent,
  rendered: { readonly subject: string; readonly html: string | null; readonly text: string },
  undeclared: readonly UndeclaredName[],
): Promise<Check[]> {
  const checked = await workers.check(
    {
      ...rendered,
      html: rendered.html ?? "",
      preheader: previewText?.replaceAll(LIQUID, "…") ?? null,
      from: null,
      stream: "transactional",
      unsubscribeUrl: null,
      postalAddress: null,
      transportHost: null,
    },
    accountId,
  );
  // That the threads have too much to do says nothing about the template.
  const found = checked.ok ? checked.findings.filter(({ code }) => code !== OF_SENDING) : [];
  const unknown = undeclared.filter(({ is_of_campaigns }) => !is_of_campaigns).map(unresolved);
  const ofCampaigns = undeclared.filter(({ is_of_campaigns }) => is_of_campaigns).map(onlyInCampaigns);
  return [...unknown, ...found, ...ofCampaigns];
}

const placeOf = ({ name, part, line, column }: UndeclaredName) => ({
  part,
  line,
  column,
  excerpt: name.slice(0, 60),
});

function unresolved(name: UndeclaredName): Check {
  return {
    code: "unresolved_variable",
    severity: "error",
    message: `Nothing is known by the name ${name.name.slice(0, 60)}.`,
    remedy: "Correct the name, or declare it as a variable.",
    place: placeOf(name),
    count: 1,
  };
}

function onlyInCampaigns(name: UndeclaredName): Check {
  return {
    code: "campaign_template",
    severity: "info",
    message: `Only campaigns know ${name.name.slice(0, 60)}.`,
    remedy: "For mails that a program sends, declare it as a variable or take it out.",
    place: placeOf(name),
    count: 1,
  };
}
