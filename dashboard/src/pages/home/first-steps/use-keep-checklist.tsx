import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../../../api/client.ts";
import type { Account } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";

/** Changes what the account keeps of the checklist. `keep` says whether that was done; a refusal is there to be shown. */
export function useKeepChecklist(): {
  keep: (checklist: Partial<Account["checklist"]>) => Promise<boolean>;
  refusal: ReactNode;
} {
  const queries = useQueryClient();
  const [error, setError] = useState<ApiError>();
  const keep = async (checklist: Partial<Account["checklist"]>) => {
    setError(undefined);
    try {
      await call("PATCH /v1/account", { body: { checklist } });
    } catch (thrown) {
      setError(asApiError(thrown));
      return false;
    }
    await queries.invalidateQueries({ queryKey: ["account"] });
    return true;
  };
  return { keep, refusal: error && <ProblemNote error={error} /> };
}
