import { useNavigate } from "@tanstack/react-router";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notifyFailure } from "../../../kit/toasts.tsx";
import { useCampaignActions } from "../use-campaign-actions.ts";

/** What can be done to a campaign from its row. What is refused is said, and the row shows what the campaign is now. */
export function useRowActions() {
  const navigate = useNavigate();
  const textOf = useProblemText();
  const actions = useCampaignActions(async (work) => {
    try {
      await work();
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
  });
  return {
    ...actions,
    open: ({ id }: CampaignSummary) => void navigate({ to: "/campaigns/$id", params: { id } }),
    edit: ({ id }: CampaignSummary) => void navigate({ to: "/campaigns/$id/edit", params: { id } }),
  };
}
