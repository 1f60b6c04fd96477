import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { asApiError } from "../../../api/problem.ts";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";

/** The copy is opened, for it wants to be changed. */
export function useDuplicate() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const textOf = useProblemText();
  return async ({ id }: { id: string }): Promise<void> => {
    try {
      const copy = await call("POST /v1/automations/{id}/duplicate", { path: { id } });
      await queries.invalidateQueries({ queryKey: ["automations"] });
      await navigate({ to: "/automations/$id", params: { id: copy.id } });
      notify(t("automations.duplicated", { name: copy.name }));
    } catch (thrown) {
      notifyFailure(textOf(asApiError(thrown)));
    }
  };
}
