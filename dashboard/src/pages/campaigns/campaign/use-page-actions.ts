import { useEffect, useState } from "react";
import type { Campaign } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { useCampaignActions } from "../use-campaign-actions.ts";

/** What can be done with the campaign of a page, one thing at a time. What is refused stands on the page. */
export function usePageActions(campaign: Pick<Campaign, "id" | "name" | "send_at" | "status">) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  // What was refused in another state says nothing about this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the state that makes it old.
  useEffect(() => setError(undefined), [campaign.status]);
  const actions = useCampaignActions(async (work) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    setBusy(false);
  });
  return {
    busy,
    error,
    pause: () => actions.pause(campaign),
    resume: (ifElapsed?: "send_now") => actions.resume(campaign, ifElapsed),
    backToDraft: () => actions.unschedule(campaign, true),
    duplicate: () => actions.duplicate(campaign),
    cancel: () => actions.cancel(campaign),
  };
}
export type PageActions = ReturnType<typeof usePageActions>;
