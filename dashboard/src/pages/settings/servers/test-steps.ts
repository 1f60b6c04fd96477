/** What a test did, as lines in the order of its doing, with what it didn't come to. */
import type { TransportTest } from "../../../api/openapi.ts";

type Phase = NonNullable<TransportTest["phase"]>;
/** What is said of one mail is one line: the API names the part of it that was refused. */
type Step = "connect" | "tls" | "greeting" | "ehlo" | "auth" | "message";

export type StepLine = {
  readonly step: Step;
  readonly state: "done" | "failed" | "left";
  readonly durationMs: number | null;
  /** The server's own words, where it refused. */
  readonly reply: string | null;
};

const stepOf = (phase: Phase): Step =>
  phase === "mail" || phase === "rcpt" || phase === "data" ? "message" : phase;

export function stepsOf(result: TransportTest, signsIn: boolean): readonly StepLine[] {
  const failed = result.phase && stepOf(result.phase);
  const tried = Map.groupBy(result.steps, ({ phase }) => stepOf(phase));
  if (failed && !tried.has(failed)) tried.set(failed, []);
  const lines = [...tried].map(([step, parts]) => lineOf(step, parts, step === failed ? result : undefined));
  const wanted: readonly Step[] = [
    "connect",
    "greeting",
    ...(signsIn ? (["auth"] as const) : []),
    ...(result.to === null ? [] : (["message"] as const)),
  ];
  const left = wanted.filter((step) => !tried.has(step));
  return [...lines, ...left.map((step) => ({ step, state: "left" as const, durationMs: null, reply: null }))];
}

function lineOf(step: Step, parts: TransportTest["steps"], failure: TransportTest | undefined): StepLine {
  const durationMs = parts.reduce((sum, part) => sum + part.duration_ms, 0);
  const reply = failure ? [failure.code, failure.text].filter(Boolean).join(" ") : null;
  return { step, state: failure ? "failed" : "done", durationMs, reply };
}
