/** The mail as it is typed now, rendered by the service. */
import { useEffect, useRef, useState } from "react";
import { call } from "../../../../api/client.ts";
import type { CampaignPreview, CampaignPreviewInput } from "../../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../../api/problem.ts";
import type { Draft } from "../draft/use-draft.ts";
import { createPreviewer, type Previewer } from "./previewer.ts";

export type Wanted = {
  readonly campaignId: string;
  readonly draft: Draft;
  readonly subscriberId: string | null;
  /** Whether the text part is shown: it takes as long as all the rest. */
  readonly hasText: boolean;
  /** Nothing is asked for while nobody sees it. */
  readonly isShown: boolean;
};

export type Rendered = {
  /** The last that could be rendered; it stays while something is wrong. */
  readonly preview: CampaignPreview | undefined;
  readonly error: ApiError | undefined;
  readonly retry: () => void;
};

export function useRendered({ campaignId, draft, subscriberId, hasText, isShown }: Wanted): Rendered {
  const [found, setFound] = useState<Pick<Rendered, "preview" | "error">>({
    preview: undefined,
    error: undefined,
  });
  const previewer = useRef<Previewer<CampaignPreviewInput>>(undefined);
  useEffect(() => {
    const mine = createPreviewer<CampaignPreviewInput, CampaignPreview>({
      ask: (body, signal) =>
        call("POST /v1/campaigns/{id}/preview", { path: { id: campaignId }, body, signal }),
      show: (preview) => setFound({ preview, error: undefined }),
      fail: (error) => setFound(({ preview }) => ({ preview, error: asApiError(error) })),
    });
    previewer.current = mine;
    return () => mine.stop();
  }, [campaignId]);
  const body = bodyOf(draft, subscriberId, hasText);
  const latest = useRef(body);
  latest.current = body;
  const asked = useRef<CampaignPreviewInput>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what the body is made of.
  useEffect(() => {
    if (!isShown) return;
    const isLine = LINES.some((field) => asked.current[field] !== latest.current[field]);
    asked.current = latest.current;
    previewer.current?.change(latest.current, isLine ? PAUSE_MS : 0);
  }, [campaignId, ...PREVIEWED.map((field) => draft[field]), subscriberId, hasText, isShown]);
  return { ...found, retry: () => previewer.current?.change(latest.current, 0) };
}

/** What changes how the mail looks. */
const PREVIEWED = [
  "name",
  "list_id",
  "subject",
  "preview_text",
  "from_name",
  "from_email",
  "reply_to",
  "html",
  "mjml",
  "blocks",
  "text",
  "utm",
] as const satisfies readonly (keyof Draft)[];

/** In these each letter is told at once, while the editor of the content pauses by itself. */
const LINES = ["name", "subject", "preview_text", "from_name", "from_email", "reply_to"] as const;
const PAUSE_MS = 60;

function bodyOf(draft: Draft, subscriberId: string | null, hasText: boolean): CampaignPreviewInput {
  const typed = Object.fromEntries(PREVIEWED.map((field) => [field, draft[field]]));
  // These may not be blank, and who is about to write one wants to see the rest all the same.
  for (const field of ["name", "subject"] as const) if (draft[field].trim() === "") delete typed[field];
  return { ...typed, subscriber_id: subscriberId, sketch: !hasText };
}
