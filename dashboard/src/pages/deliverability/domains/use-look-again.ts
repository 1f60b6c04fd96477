import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Domain } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";

const SECOND_MS = 1_000;

/** Has the DNS asked at once. The service does so every ten seconds at most; until then, `waitSeconds` counts down. */
export function useLookAgain({ id }: Domain) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [waitSeconds, setWait] = useState(0);
  useEffect(() => {
    if (waitSeconds <= 0) return;
    const timer = setTimeout(() => setWait(waitSeconds - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [waitSeconds]);
  const look = async () => {
    setBusy(true);
    try {
      await call("POST /v1/domains/{id}/verify", { path: { id } });
      await queries.invalidateQueries({ queryKey: ["domains"] });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status !== 429) return notifyFailure(textOf(error));
      setWait(error.retryAfter);
      notify(t("domains.tooSoon", { count: error.retryAfter, number: formatNumber(error.retryAfter) }));
    } finally {
      setBusy(false);
    }
  };
  return { look: () => void look(), isBusy, waitSeconds };
}
