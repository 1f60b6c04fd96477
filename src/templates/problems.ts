import { defineProblem } from "../platform/problems.ts";

export const templateExists = defineProblem(
  409,
  "template_exists",
  "Template exists",
  "Another template of the account has this name, in whatever case. Choose another one.",
);
export const tooManyTemplates = defineProblem(
  409,
  "too_many_templates",
  "Too many templates",
  "The account has as many templates as it may. Delete those that nothing uses.",
);
export const templateInUse = defineProblem(
  409,
  "template_in_use",
  "Template in use",
  "A campaign that isn't sent yet, or a mail that waits for its time, was made from this template; `used_by` says which. Send or cancel " +
    "it, or give the campaign another content and `template_id` null.",
);
export const templateFaulty = defineProblem(
  422,
  "template_faulty",
  "Template can't be made into mail",
  "The content of the template doesn't compile, reads a name that is no variable, or fails with the samples of its variables. Every " +
    "fault is named in `errors`, with a line and a column where it has a place.",
);
export const templateChanged = defineProblem(
  409,
  "template_changed",
  "Template changed meanwhile",
  "Somebody changed the draft while it was examined, so nothing was published. Look at it, and try again.",
);
