/** The automation that is edited: what is typed, what is saved, and how the two stand to each other. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { request } from "../../../api/client.ts";
import type { News } from "../../../api/live.ts";
import type { Automation } from "../../../api/openapi.ts";
import { draftFields } from "../../../drafts/draft-fields.ts";
import type { Answered, Snapshot } from "../../../drafts/draft-state.ts";
import { createSaver, type Saver } from "../../../drafts/saver.ts";
import { useSaver } from "../../../drafts/use-saver.ts";

const FIELDS = ["name", "draft"] as const satisfies readonly (keyof Automation)[];
export type AutomationField = (typeof FIELDS)[number];
export type AutomationDraft = Pick<Automation, AutomationField>;
export const AUTOMATION_FIELDS = draftFields<Automation, AutomationField>(FIELDS, []);

export type AutomationDrafting = Omit<Snapshot<Automation, AutomationField>, "body"> & {
  /** The last answer. */
  readonly automation: Automation;
} & Pick<
    Saver<Automation, AutomationField>,
    | "change"
    | "save"
    | "etag"
    | "choose"
    | "resume"
    | "replace"
    | "keep"
    | "isUnsaved"
    | "dismissTaken"
    | "heedTyping"
  >;

export type OpenAutomation =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error; readonly retry: () => void }
  | ({ readonly kind: "open" } & AutomationDrafting);

/** `page` tells apart what two pages read of it, of which one leads to the other: each begins with what is saved then. */
export function useAutomation(id: string, page: string): OpenAutomation {
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
