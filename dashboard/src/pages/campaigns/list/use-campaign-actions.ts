/** What can be done to a campaign from its row: at once where it can be undone, else after a question. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";

export function useCampaignActions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const textOf = useProblemText();

  /** What is refused is said, and the row shows what the campaign is now. */
  const act = async (work: () => Promise<unknown>, done?: () => void) => {
    try {
      await work();
      done?.();
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  const undoable = (text: string, undo: () => void) => notify(text, { label: t("do.undo"), run: undo });

  const pause = ({ id, name }: CampaignSummary) =>
    act(
      () => call("POST /v1/campaigns/{id}/pause", { path: { id } }),
      () =>
        undoable(t("campaigns.paused", { name }), () => {
          void act(() => call("POST /v1/campaigns/{id}/resume", { path: { id } }));
        }),
    );
  const resume = ({ id, name }: CampaignSummary) =>
    act(
      () => call("POST /v1/campaigns/{id}/resume", { path: { id } }),
      () =>
        undoable(t("campaigns.resumed", { name }), () => {
          void act(() => call("POST /v1/campaigns/{id}/pause", { path: { id } }));
        }),
    );
  const unschedule = ({ id, name, send_at }: CampaignSummary) =>
    act(
      () => call("POST /v1/campaigns/{id}/unschedule", { path: { id } }),
      () =>
        undoable(t("campaigns.unscheduled", { name }), () => {
          if (send_at)
            void act(() => call("POST /v1/campaigns/{id}/schedule", { path: { id }, body: { send_at } }));
        }),
    );
  const duplicate = ({ id, name }: CampaignSummary) =>
    act(async () => {
      const copy = await call("POST /v1/campaigns/{id}/duplicate", { path: { id } });
      notify(t("campaigns.duplicated", { name }));
      await navigate({ to: "/campaigns/$id/edit", params: { id: copy.id } });
    });
  const open = ({ id }: CampaignSummary) => void navigate({ to: "/campaigns/$id", params: { id } });
  const edit = ({ id }: CampaignSummary) => void navigate({ to: "/campaigns/$id/edit", params: { id } });
  return { open, edit, pause, resume, unschedule, duplicate };
}
