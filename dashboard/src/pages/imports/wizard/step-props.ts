import type { Draft } from "./draft.ts";
import type { Step } from "./search.ts";

/** What each step is given: all that was told so far, and the ways to change it and to go on. */
export type StepProps = {
  draft: Draft;
  change: (change: Partial<Draft> | ((before: Draft) => Draft)) => void;
  go: (step: Step) => void;
};
