/** The draft that the composer edits: what is typed, what is saved, and how the two stand to each other. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { request } from "../../../../api/client.ts";
import type { News } from "../../../../api/live.ts";
import type { Campaign } from "../../../../api/openapi.ts";
import { query } from "../../../../api/queries.ts";
import type { Answered, DraftState as StateOf } from "../../../../drafts/draft-state.ts";
import type { DraftingOf, OpenedDraft } from "../../../../drafts/drafting.ts";
import { useSaver } from "../../../../drafts/use-saver.ts";
import { createCampaignSaver } from "./campaign-saver.ts";
import type { DraftField } from "./draft.ts";

export type { Draft } from "./draft.ts";
export type DraftState = StateOf<Campaign, DraftField>;

export type Drafting = DraftingOf<Campaign, DraftField> & {
  /** The last answer, with its checks. */
  readonly campaign: Campaign;
};

const read = (id: string) => request("GET /v1/campaigns/{id}", { path: { id } });

export function useDraft(id: string): OpenedDraft<Drafting> {
  const queries = useQueryClient();
  const makeSaver = useCallback(
    (found: Answered<Campaign>) =>
      createCampaignSaver(found, {
        read: () => read(id),
        async write(body, ifMatch) {
          const saved = await request("PATCH /v1/campaigns/{id}", { path: { id }, body, ifMatch });
          queries.setQueryData(query("GET /v1/campaigns/{id}", { path: { id } }).queryKey, saved.body);
          return saved;
        },
      }),
    [id, queries],
  );
  const isAbout = useCallback(
    ({ type, data }: Exclude<News, "many">) => data["campaign_id"] === id && !type.startsWith("email."),
    [id],
  );
  const opened = useSaver({ id, read, makeSaver, isAbout });
  if (opened.kind !== "open") return opened;
  const { body: campaign, ...snapshot } = opened.snapshot;
  return { kind: "open", ...snapshot, campaign, ...opened.saver };
}
