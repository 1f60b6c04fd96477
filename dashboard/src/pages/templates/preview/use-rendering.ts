/** A template as it is typed now, rendered and looked over by the service. */
import { useEffect, useMemo, useRef, useState } from "react";
import { type Answer, call } from "../../../api/client.ts";
import type { CampaignCheck, TemplateRender } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { createPreviewer, type Previewer } from "../../campaigns/composer/preview/previewer.ts";
import { samplesOf } from "../content/typed-value.ts";
import type { TemplateDraft } from "../draft/use-template.ts";

type Rendering = Answer<"POST /v1/templates/{id}/render">;
export type Undeclared = Rendering["undeclared"][number];

type Found = { readonly rendering: Rendering | undefined; readonly error: ApiError | undefined };
const NOTHING: Found = { rendering: undefined, error: undefined };

/** Renders what is given, soon after it changes. What could be rendered last stays while something is wrong. */
export function useRendering(
  templateId: string,
  body: TemplateRender | undefined,
  pauseMs: number,
): Found & { readonly retry: () => void } {
  const [found, setFound] = useState(NOTHING);
  const previewer = useRef<Previewer<TemplateRender>>(undefined);
  useEffect(() => {
    const mine = createPreviewer<TemplateRender, Rendering>({
      ask: (asked, signal) =>
        call("POST /v1/templates/{id}/render", { path: { id: templateId }, body: asked, signal }),
      show: (rendering) => setFound({ rendering, error: undefined }),
      fail: (error) => setFound(({ rendering }) => ({ rendering, error: asApiError(error) })),
    });
    previewer.current = mine;
    return () => mine.stop();
  }, [templateId]);
  useEffect(() => {
    if (body) previewer.current?.change(body, pauseMs);
  }, [body, pauseMs]);
  return { ...found, retry: () => void (body && previewer.current?.change(body, 0)) };
}

/** What is typed, without the name: that is no part of the mail. */
export function useTyped(draft: TemplateDraft): NonNullable<TemplateRender["draft"]> {
  const { subject, preview_text, html, mjml, blocks, text, variables } = draft;
  return useMemo(
    () => ({ subject, preview_text, html, mjml, blocks, text, variables }),
    [subject, preview_text, html, mjml, blocks, text, variables],
  );
}

const CHECKED_AFTER_MS = 500;
const NONE: readonly Undeclared[] = [];

/** What publishing would refuse, and what else was found in the mail with its samples. */
export function useTemplateChecks(templateId: string, draft: TemplateDraft) {
  const typed = useTyped(draft);
  const body = useMemo(
    () => ({ draft: typed, variables: samplesOf(draft.variables), checks: true }),
    [typed, draft.variables],
  );
  const { rendering, error } = useRendering(templateId, body, CHECKED_AFTER_MS);
  return useMemo(
    () => ({
      checks: error ? checksOf(error) : (rendering?.checks ?? []),
      undeclared: rendering?.undeclared ?? NONE,
    }),
    [rendering, error],
  );
}

/** A content that can't be made into mail says so in place of its checks. */
function checksOf(error: ApiError): readonly CampaignCheck[] {
  if (error.code !== "template_faulty") return [];
  return error.faults.map(({ code, pointer = "", detail, line, column }) => ({
    code: code ?? error.code,
    severity: "error",
    message: detail,
    remedy: "",
    place: line === undefined ? null : { part: pointer.slice(1), line, column: column ?? 1, excerpt: "" },
    count: 1,
  }));
}

const OF_VARIABLES = "variables.";

/** What the service said of the fields of variables, by `number.field`. */
export function faultsByVariable(faults: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(faults)
      .filter(([name]) => name.startsWith(OF_VARIABLES))
      .map(([name, detail]) => [name.slice(OF_VARIABLES.length), detail]),
  );
}
