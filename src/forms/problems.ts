import { defineProblem } from "../platform/problems.ts";

export const tooManyForms = defineProblem(
  409,
  "too_many_forms",
  "Too many forms",
  "The account has as many forms as it may. Delete those that nobody uses.",
);
