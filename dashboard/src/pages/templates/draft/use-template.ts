/** The draft of a template that is edited: what is typed, what is saved, and how the two stand to each other. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { request } from "../../../api/client.ts";
import type { News } from "../../../api/live.ts";
import type { Template, TemplatePatch } from "../../../api/openapi.ts";
import { ApiError, asApiError } from "../../../api/problem.ts";
import { draftFields } from "../../../drafts/draft-fields.ts";
import type { Answered } from "../../../drafts/draft-state.ts";
import type { DraftingOf, OpenedDraft } from "../../../drafts/drafting.ts";
import { createSaver } from "../../../drafts/saver.ts";
import { useSaver } from "../../../drafts/use-saver.ts";

const FIELDS = [
  "name",
  "subject",
  "preview_text",
  "html",
  "mjml",
  "blocks",
  "text",
  "variables",
] as const satisfies readonly (keyof Template)[];

export type TemplateField = (typeof FIELDS)[number];
export type TemplateDraft = Pick<Template, TemplateField>;
/** One way of writing takes the place of the others. */
export const TEMPLATE_FIELDS = draftFields<Template, TemplateField>(FIELDS, [["html", "mjml", "blocks"]]);

export type TemplateDrafting = DraftingOf<Template, TemplateField> & {
  /** The last answer. */
  readonly template: Template;
};

const read = (id: string) => request("GET /v1/templates/{id}", { path: { id } });

export function useTemplate(id: string): OpenedDraft<TemplateDrafting> {
  const queries = useQueryClient();
  const makeSaver = useCallback(
    (found: Answered<Template>) =>
      createSaver<Template, TemplateField>(found, {
        fields: TEMPLATE_FIELDS,
        read: () => read(id),
        async write(body, ifMatch) {
          const saved = await refusingName(() =>
            request("PATCH /v1/templates/{id}", { path: { id }, body: body as TemplatePatch, ifMatch }),
          );
          void queries.invalidateQueries({ queryKey: ["templates"] });
          return saved;
        },
        isEditable: () => true,
      }),
    [id, queries],
  );
  const isAbout = useCallback(({ data }: Exclude<News, "many">) => data["template_id"] === id, [id]);
  const opened = useSaver({ id, read, makeSaver, isAbout });
  if (opened.kind !== "open") return opened;
  const { body: template, ...snapshot } = opened.snapshot;
  return { kind: "open", ...snapshot, template, ...opened.saver };
}

/** A name that is taken is a fault of that field alone, so that the others are saved all the same. */
async function refusingName<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.code !== "template_exists") throw error;
    const errors = [{ pointer: "/name", code: error.code, detail: error.message }];
    throw new ApiError({ status: error.status, code: error.code, detail: error.message, errors });
  }
}
