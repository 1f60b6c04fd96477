import { defineProblem } from "../platform/problems.ts";

export const planArchived = defineProblem(
  409,
  "plan_archived",
  "Plan archived",
  "The plan was archived: nobody subscribes to it any more, and it isn't changed. Accounts that have it keep it. Take another plan, or make one.",
);
export const creditReversed = defineProblem(
  409,
  "credit_reversed",
  "Credit reversed",
  "The credit was reversed already, or is itself the reversal of another. To give again what it gave, make a new one.",
);
export const creditSpent = defineProblem(
  409,
  "credit_spent",
  "Credit spent",
  "Statements have spent the credit, or a part of it: less is left of the account's credits than it gave. What was spent can't be taken back.",
);
