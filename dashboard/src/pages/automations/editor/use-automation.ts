/** The automation that is edited: what is typed, what is saved, and how the two stand to each other. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { request } from "../../../api/client.ts";
import type { News } from "../../../api/live.ts";
import type { Automation } from "../../../api/openapi.ts";
import { draftFields } from "../../../drafts/draft-fields.ts";
import type { Answered } from "../../../drafts/draft-state.ts";
import type { DraftingOf, OpenedDraft } from "../../../drafts/drafting.ts";
import { createSaver } from "../../../drafts/saver.ts";
import { useSaver } from "../../../drafts/use-saver.ts";

const FIELDS = ["name", "draft"] as const satisfies readonly (keyof Automation)[];
export type AutomationField = (typeof FIELDS)[number];
export const AUTOMATION_FIELDS = draftFields<Automation, AutomationField>(FIELDS, []);

export type AutomationDrafting = DraftingOf<Automation, AutomationField> & {
  /** The last answer. */
  readonly automation: Automation;
};

/** `page` tells apart what two pages read of it, of which one leads to the other: each begins with what is saved then. */
export function useAutomation(id: string, page: string): OpenedDraft<AutomationDrafting> {
  const queries = useQueryClient();
  const read = useCallback(() => request("GET /v1/automations/{id}", { path: { id } }), [id]);
  const makeSaver = useCallback(
    (found: Answered<Automation>) =>
      createSaver<Automation, AutomationField>(found, {
        fields: AUTOMATION_FIELDS,
        read,
        async write(body, ifMatch) {
          const saved = await request("PATCH /v1/automations/{id}", { path: { id }, body, ifMatch });
          void queries.invalidateQueries({ queryKey: ["automations"] });
          return saved;
        },
        isEditable: () => true,
      }),
    [id, read, queries],
  );
  const isAbout = useCallback(({ data }: Exclude<News, "many">) => data["automation_id"] === id, [id]);
  const opened = useSaver({ id: `${id} ${page}`, read, makeSaver, isAbout });
  if (opened.kind !== "open") return opened;
  const { body: automation, ...snapshot } = opened.snapshot;
  return { kind: "open", ...snapshot, automation, ...opened.saver };
}
