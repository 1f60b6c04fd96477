/** What can be done from anywhere for the first days: sample data, and the checklist once it was put away. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, ListChecks, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call } from "../api/client.ts";
import { useMay } from "../api/may.ts";
import { asApiError } from "../api/problem.ts";
import { query } from "../api/queries.ts";
import { useProblemText } from "../kit/forms/problem-note.tsx";
import { notify } from "../kit/toasts.tsx";
import { useRegisterActions } from "./actions.ts";

export function useFirstStepActions(): void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const textOf = useProblemText();
  const may = useMay();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const isPutAway = may("account:write") && account?.checklist.dismissed === true;
  const run = (work: () => Promise<void>) => void work().catch((error) => notify(textOf(asApiError(error))));
  useRegisterActions([
    {
      id: "add-sample-data",
      needs: "campaigns:write",
      label: t("sample.add"),
      icon: FlaskConical,
      run: () =>
        run(async () => {
          await call("POST /v1/sample_data", {});
          await queries.invalidateQueries();
          await navigate({ to: "/" });
          notify(t("sample.added"));
        }),
    },
    {
      id: "remove-sample-data",
      needs: "campaigns:write",
      label: t("sample.remove"),
      icon: Trash2,
      run: () => void navigate({ to: "/", search: { remove: "sample" } }),
    },
    ...(isPutAway
      ? [
          {
            id: "show-checklist",
            label: t("home.showChecklist"),
            icon: ListChecks,
            run: () =>
              run(async () => {
                await call("PATCH /v1/account", { body: { checklist: { dismissed: false } } });
                await queries.invalidateQueries({ queryKey: ["account"] });
                await navigate({ to: "/" });
              }),
          },
        ]
      : []),
  ]);
}
