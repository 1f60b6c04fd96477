/** What moves an automation from one state to the next. Each answer takes the place of what the page knew. */
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { request } from "../../../api/client.ts";
import type { Automation } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import type { AutomationDrafting } from "../editor/use-automation.ts";

export type Step = "start" | "pause" | "drain" | "cancel" | "archive";

export function useLifecycle(drafting: AutomationDrafting) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const textOf = useProblemText();
  const { automation, replace, save, etag } = drafting;
  const path = { id: automation.id };
  const take = (reply: { body: Automation; etag: string | undefined }) => {
    replace(reply);
    void queries.invalidateQueries({ queryKey: ["automations"] });
  };
  return {
    /** Throws the refusal. */
    async go(step: Step): Promise<void> {
      await save();
      const ifMatch = step === "start" ? etag() : undefined;
      take(await request(`POST /v1/automations/{id}/${step}`, { path, ifMatch }));
      notify(t(`lifecycle.${step}.done`, { name: automation.name }));
    },
    async resume(body: { overdue?: "run" | "spread" | "skip"; spread_minutes?: number }): Promise<void> {
      await save();
      take(await request("POST /v1/automations/{id}/resume", { path, body }));
      notify(t("lifecycle.resume.done", { name: automation.name }));
    },
    async reread(): Promise<void> {
      take(await request("GET /v1/automations/{id}", { path }));
    },
    tell: (thrown: unknown) => notifyFailure(textOf(asApiError(thrown))),
  };
}
