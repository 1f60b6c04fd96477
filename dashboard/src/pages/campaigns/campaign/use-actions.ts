/** What can be done with a campaign that has left its draft: each action tells what it did, or why not. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Campaign } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { notify } from "../../../kit/toasts.tsx";

export function useCampaignActions({ id, name }: Pick<Campaign, "id" | "name">) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const path = { id };

  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
    setBusy(false);
  };
  const resume = (ifElapsed?: "send_now") =>
    act(async () => {
      await call("POST /v1/campaigns/{id}/resume", {
        path,
        ...(ifElapsed && { body: { if_elapsed: ifElapsed } }),
      });
      notify(t("sending.do.resumed", { name }));
    });
  return {
    busy,
    error,
    clearError: () => setError(undefined),
    resume,
    pause: () =>
      act(async () => {
        await call("POST /v1/campaigns/{id}/pause", { path });
        notify(t("sending.do.paused", { name }), { label: t("sending.do.resume"), run: () => void resume() });
      }),
    backToDraft: () =>
      act(async () => {
        const { status } = await call("POST /v1/campaigns/{id}/unschedule", { path });
        notify(t(status === "draft" ? "sending.do.unscheduled" : "sending.undo.takenFailed", { name }));
        await queries.invalidateQueries({ queryKey: ["campaigns"] });
        if (status === "draft") await navigate({ to: "/campaigns/$id/edit", params: { id } });
      }),
    duplicate: () =>
      act(async () => {
        const copy = await call("POST /v1/campaigns/{id}/duplicate", { path });
        notify(t("sending.do.duplicated", { name }));
        await navigate({ to: "/campaigns/$id/edit", params: { id: copy.id } });
      }),
    /** Throws where it is refused, for the dialog that asks. */
    cancel: async () => {
      await call("POST /v1/campaigns/{id}/cancel", { path });
      notify(t("sending.do.canceled", { name }));
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
    },
  };
}
export type CampaignActions = ReturnType<typeof useCampaignActions>;
