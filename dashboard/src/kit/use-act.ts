import { useState } from "react";
import { asApiError } from "../api/problem.ts";
import { useProblemText } from "./forms/problem-note.tsx";
import { notifyFailure } from "./toasts.tsx";

/** For a button that acts at once: it is busy while the act runs, and a refusal is told. */
export function useAct(act: () => Promise<unknown>): { isBusy: boolean; run: () => void } {
  const textOf = useProblemText();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await act();
    } catch (thrown) {
      notifyFailure(textOf(asApiError(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run: () => void run() };
}
