/** Which of the first steps are done, as the API says; nobody ticks them by hand. */
import { useQuery } from "@tanstack/react-query";
import type { Account, SampleData } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";

export type StepName = Account["checklist"]["skipped"][number];
export type Step = { readonly name: StepName; readonly isDone: boolean; readonly isSkipped: boolean };
export type FirstStepsState = {
  readonly steps: readonly Step[];
  readonly sample: SampleData;
  readonly isSandbox: boolean;
  readonly hasSent: boolean;
};

/** Returns undefined until all is known, so that no step is shown as one that is to be done and then isn't. */
export function useFirstSteps(account: Account): {
  readonly state: FirstStepsState | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
} {
  const sending = useQuery(query("GET /v1/sending", {}));
  const someone = useQuery(query("GET /v1/subscribers", { query: { limit: 1 } }));
  const sent = useQuery(query("GET /v1/campaigns", { query: { status: ["sent"], limit: 1 } }));
  const archived = useQuery(
    query("GET /v1/campaigns", { query: { status: ["sent"], limit: 1, archived: true } }),
  );
  const sample = useQuery(query("GET /v1/sample_data", {}));
  const all = [sending, someone, sent, archived, sample];
  const error = all.find(({ data, error }) => error && !data)?.error ?? null;
  const retry = () => all.forEach((one) => void one.refetch());
  if (!sending.data || !someone.data || !sent.data || !archived.data || !sample.data)
    return { state: undefined, error, retry };
  const hasSent = sent.data.data.length + archived.data.data.length > 0;
  const isSandbox = sending.data.leaves_by === "sandbox";
  const done: Record<StepName, boolean> = {
    sender: account.from_email !== null,
    tracking: account.tracking !== null,
    subscribers: someone.data.data.length > 0,
    sending_server: !isSandbox,
    campaign: hasSent,
  };
  const steps = STEPS.map((name) => ({
    name,
    isDone: done[name],
    isSkipped: !done[name] && account.checklist.skipped.includes(name),
  }));
  return { state: { steps, sample: sample.data, isSandbox, hasSent }, error: null, retry };
}

const STEPS: readonly StepName[] = ["sender", "tracking", "subscribers", "sending_server", "campaign"];
