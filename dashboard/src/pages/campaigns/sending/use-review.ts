/** What the last look before a send shows, read anew after the draft was saved, all of one moment as far as that can be. */
import { useCallback, useEffect, useRef, useState } from "react";
import { call, request } from "../../../api/client.ts";
import type {
  Account,
  Campaign,
  CampaignAudience,
  CampaignCheck,
  List,
  Segment,
  Sending,
  Topic,
} from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";

export type Reviewed = {
  readonly campaign: Campaign;
  /** The version that is shown; no other is sent. */
  readonly etag: string | undefined;
  readonly audience: CampaignAudience;
  readonly checks: readonly CampaignCheck[];
  readonly sending: Sending;
  readonly account: Account;
  readonly list: List;
  readonly segment: Segment | undefined;
  readonly topic: Topic | undefined;
};

type Review =
  | { readonly state: "loading" }
  | { readonly state: "unsaved" }
  | { readonly state: "failed"; readonly error: ApiError }
  | { readonly state: "ready"; readonly reviewed: Reviewed };

/** A topic that is gone stops the send by a check of its own, so that the review is shown all the same. */
async function findTopic(id: string): Promise<Topic | undefined> {
  try {
    return await call("GET /v1/topics/{id}", { path: { id } });
  } catch (thrown) {
    if (asApiError(thrown).status === 404) return undefined;
    throw thrown;
  }
}

async function read(id: string): Promise<Reviewed> {
  const { body: campaign, etag } = await request("GET /v1/campaigns/{id}", { path: { id } });
  const [audience, { checks }, sending, account, list, segment, topic] = await Promise.all([
    call("GET /v1/campaigns/{id}/audience", { path: { id } }),
    call("GET /v1/campaigns/{id}/checks", { path: { id } }),
    call("GET /v1/sending", {}),
    call("GET /v1/account", {}),
    call("GET /v1/lists/{id}", { path: { id: campaign.list_id } }),
    campaign.segment_id ? call("GET /v1/segments/{id}", { path: { id: campaign.segment_id } }) : undefined,
    campaign.topic_id ? findTopic(campaign.topic_id) : undefined,
  ]);
  return { campaign, etag, audience, checks, sending, account, list, segment, topic };
}

/** Saves what was typed, then reads it; `again` does both once more, and answers with what was read. */
export function useReview(id: string, save: () => Promise<boolean>) {
  const [review, setReview] = useState<Review>({ state: "loading" });
  const latestSave = useRef(save);
  latestSave.current = save;
  const isThere = useRef(true);
  const again = useCallback(
    async (mode: "save" | "read" = "save"): Promise<Reviewed | undefined> => {
      try {
        if (mode === "save") {
          setReview({ state: "loading" });
          if (!(await latestSave.current())) {
            setReview({ state: "unsaved" });
            return undefined;
          }
        }
        const reviewed = await read(id);
        if (isThere.current) setReview({ state: "ready", reviewed });
        return reviewed;
      } catch (thrown) {
        if (isThere.current) setReview({ state: "failed", error: asApiError(thrown) });
        return undefined;
      }
    },
    [id],
  );
  useEffect(() => {
    isThere.current = true;
    void again();
    return () => {
      isThere.current = false;
    };
  }, [again]);
  return { review, again };
}

/** Campaign, list and account are asked for the sender in this order, as the service does. */
export function senderOf({ campaign, list, account }: Reviewed): {
  name: string | null;
  email: string | null;
} {
  return {
    name: campaign.from_name ?? list.from_name ?? account.from_name,
    email: campaign.from_email ?? list.from_email ?? account.from_email,
  };
}
