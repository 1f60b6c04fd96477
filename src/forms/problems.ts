import { defineProblem } from "../platform/problems.ts";

export const tooManyForms = defineProblem(
  409,
  "too_many_forms",
  "Too many forms",
  "The account has as many forms as it may. Delete those that nobody uses.",
);
export const formClosed = defineProblem(
  410,
  "form_closed",
  "Form closed",
  "The form is paused, or its list is gone. Nobody can sign up by it at present.",
);
