/**
 * What can be done to a campaign, from its row and on its own page. Each action tells what it did and offers to undo it where the
 * service can; how a refusal is told is up to the `act` that is given.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { CampaignSummary } from "../../api/openapi.ts";
import { notify } from "../../kit/toasts.tsx";

type Work = () => Promise<unknown>;
type Named = Pick<CampaignSummary, "id" | "name">;

export function useCampaignActions(act: (work: Work) => Promise<void>) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const actNow = async (work: Work) => {
    await act(work);
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  const undoable = (text: string, undo: Work) =>
    notify(text, { label: t("do.undo"), run: () => void actNow(undo) });
  const pauseNow = (id: string) => call("POST /v1/campaigns/{id}/pause", { path: { id } });
  const resumeNow = (id: string, ifElapsed?: "send_now") =>
    call("POST /v1/campaigns/{id}/resume", {
      path: { id },
      ...(ifElapsed && { body: { if_elapsed: ifElapsed } }),
    });
  return {
    pause: ({ id, name }: Named) =>
      actNow(async () => {
        await pauseNow(id);
        undoable(t("campaigns.paused", { name }), () => resumeNow(id));
      }),
    resume: ({ id, name }: Named, ifElapsed?: "send_now") =>
      actNow(async () => {
        await resumeNow(id, ifElapsed);
        undoable(t("campaigns.resumed", { name }), () => pauseNow(id));
      }),
    /** Ends with the draft that it is again, where somebody looked at it on its own page. */
    unschedule: ({ id, name, send_at: at }: Named & Pick<CampaignSummary, "send_at">, isOnItsPage = false) =>
      actNow(async () => {
        const { status } = await call("POST /v1/campaigns/{id}/unschedule", { path: { id } });
        const text = t("campaigns.unscheduled", { name });
        if (at === null) notify(text);
        else
          undoable(text, () =>
            call("POST /v1/campaigns/{id}/schedule", { path: { id }, body: { send_at: at } }),
          );
        await queries.invalidateQueries({ queryKey: ["campaigns"] });
        if (isOnItsPage && status === "draft") await navigate({ to: "/campaigns/$id/edit", params: { id } });
      }),
    duplicate: ({ id, name }: Named) =>
      actNow(async () => {
        const copy = await call("POST /v1/campaigns/{id}/duplicate", { path: { id } });
        notify(t("campaigns.duplicated", { name }));
        await navigate({ to: "/campaigns/$id/edit", params: { id: copy.id } });
      }),
    /** It throws where it is refused, for the dialog that asks. */
    cancel: async ({ id, name }: Named) => {
      await call("POST /v1/campaigns/{id}/cancel", { path: { id } });
      notify(t("campaigns.canceled", { name }));
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
    },
  };
}
