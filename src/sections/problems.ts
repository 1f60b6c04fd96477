import { defineProblem } from "../platform/problems.ts";

export const sectionExists = defineProblem(
  409,
  "section_exists",
  "Section exists",
  "Another section of the account has this name, in whatever case. Choose another one.",
);
export const tooManySections = defineProblem(
  409,
  "too_many_sections",
  "Too many sections",
  "The account has as many sections as it may. Delete those that nobody uses.",
);
