import { AppError, defineProblem, type Fault } from "../platform/problems.ts";
import { invalidState } from "../subscribers/subscribers.ts";

export const automationNotReady = defineProblem(
  422,
  "automation_not_ready",
  "Automation not ready",
  "The draft has faults, which `errors` names, all of them: mend these first.",
);

export const simulationsBusy = defineProblem(
  429,
  "simulations_busy",
  "Simulations busy",
  "An account simulates one at a time, and long ones no more than half of the time. Try again after the seconds in `Retry-After`.",
);

export function notReady(faults: readonly Fault[]): AppError {
  const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
  return new AppError(automationNotReady, `the draft has ${count}; see errors`, { faults });
}

export const nodesInUse = defineProblem(
  409,
  "nodes_in_use",
  "Steps in use",
  'People stand on steps that the new version doesn\'t have; `nodes` says how many on which. Say in `mapping` where they go on, as {"former step": "step"}, or let them stay with their version by `people: "stay"`.',
);

export const overdueSteps = defineProblem(
  409,
  "overdue_steps",
  "Overdue steps",
  'Steps fell due while it was paused; `nodes` says for how many people on which. Say what becomes of them: `{"overdue": "run"}`, `spread` or `skip`.',
);

export const enrollmentNotAllowed = defineProblem(
  409,
  "enrollment_not_allowed",
  "Enrollment not allowed",
  "The published version of the automation has no trigger `manual`, so nobody can be put into it by hand. Add that to `entry.on`, and publish it.",
);

export const tooManyEnrollments = defineProblem(
  409,
  "too_many_enrollments",
  "Too many enrollments",
  "So many enrollments of this automation are under way already. Wait until one of them is done, or cancel one.",
);

export function refuse(status: string, why: string): AppError {
  return new AppError(invalidState, why, { members: { current_status: status } });
}

export const tooManyAutomations = defineProblem(
  409,
  "too_many_automations",
  "Too many automations",
  "The account has as many automations as it may. Delete those that nobody needs.",
);
