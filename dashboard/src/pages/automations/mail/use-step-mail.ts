/** The mail of a step as the composer's panes know a campaign: what a step hasn't is what a campaign begins with. */
import { useCallback, useMemo, useRef } from "react";
import type { BlocksDocument, Campaign } from "../../../api/openapi.ts";
import { sentence } from "../../../kit/sentence.ts";
import type { Draft } from "../../campaigns/composer/draft/use-draft.ts";
import type { ContentDrafting, EnvelopeDrafting } from "../../campaigns/composer/draft/use-envelope.ts";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { changeStep, isJson, type Json, readGraph } from "../graph/draft.ts";
import { faultsByPlace } from "../graph/faults.ts";

/** What a step can say of its mail. */
const FIELDS = [
  "subject",
  "preview_text",
  "from_name",
  "from_email",
  "reply_to",
  "html",
  "mjml",
  "blocks",
  "text",
  "topic_id",
] as const satisfies readonly (keyof Draft)[];

const NO_CHECKS: Campaign["checks"] = [];

export function useStepMail(drafting: AutomationDrafting, step: string): EnvelopeDrafting & ContentDrafting {
  const { draft, automation, change } = drafting;
  const latest = useRef(draft.draft);
  latest.current = draft.draft;
  const node = readGraph(draft.draft).nodes[step];
  const write = useCallback(
    (patch: Partial<Draft>) => {
      const graph = readGraph(latest.current);
      const said = Object.fromEntries(
        FIELDS.filter((field) => field in patch).map((field) => [field, patch[field] ?? undefined]),
      );
      const next = changeStep(graph, step, said);
      // Two changes may come before the next drawing.
      latest.current = next;
      change({ draft: next });
    },
    [change, step],
  );
  const { id, list_id, name, faults: found } = automation;
  const mail = useMemo(() => mailOf(node ?? {}, list_id, name), [node, list_id, name]);
  const faults = useMemo(() => {
    const here = faultsByPlace(found).get(`step:${step}`) ?? [];
    return Object.fromEntries(here.map(({ part, detail }) => [part.replaceAll("/", "."), sentence(detail)]));
  }, [found, step]);
  return useMemo(
    () => ({
      draft: mail,
      faults,
      change: write,
      campaign: { id, list_id, segment_id: null, topic_id: mail.topic_id, checks: NO_CHECKS },
    }),
    [mail, faults, write, id, list_id],
  );
}

function mailOf(node: Json, listId: string, name: string): Draft {
  const text = (key: string) => (typeof node[key] === "string" ? node[key] : null);
  const blocks = isJson(node["blocks"]) ? (node["blocks"] as unknown as BlocksDocument) : null;
  const mjml = text("mjml");
  return {
    name,
    list_id: listId,
    segment_id: null,
    topic_id: text("topic_id"),
    subject: text("subject") ?? "",
    preview_text: text("preview_text"),
    from_name: text("from_name"),
    from_email: text("from_email"),
    reply_to: text("reply_to"),
    blocks,
    mjml,
    html: text("html") ?? (blocks === null && mjml === null ? "" : null),
    text: text("text"),
    ...UNSAID,
  };
}

/** What the panes ask of a campaign, and a step has no say in. */
const UNSAID: Pick<Draft, "tracking" | "utm" | "on_ambiguous" | "archive"> = {
  tracking: { opens: null, clicks: null } as unknown as Draft["tracking"],
  utm: null,
  on_ambiguous: "skip" as Draft["on_ambiguous"],
  archive: false as Draft["archive"],
};
