import { AppError, defineProblem, type Fault } from "../platform/problems.ts";

export const automationNotReady = defineProblem(
  422,
  "automation_not_ready",
  "Automation not ready",
  "The draft has faults, which `errors` names, all of them: mend these first.",
);

export const simulationsBusy = defineProblem(
  503,
  "simulations_busy",
  "Simulations busy",
  "Few simulations run at once, since each holds a connection to the database. Try again after the seconds in `Retry-After`.",
);

export function notReady(faults: readonly Fault[]): AppError {
  const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
  return new AppError(automationNotReady, `the draft has ${count}; see errors`, { faults });
}

export const tooManyAutomations = defineProblem(
  409,
  "too_many_automations",
  "Too many automations",
  "The account has as many automations as it may. Delete those that nobody needs.",
);
