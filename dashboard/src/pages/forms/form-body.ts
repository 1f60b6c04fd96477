/** What is typed on the page of a form, as the API takes it. */
import type { Form, FormPatch } from "../../api/openapi.ts";
import type { Values } from "../../kit/forms/form.tsx";

export type AskedField = Form["fields"][number];

export const TEXTS = [
  "title",
  "intro",
  "consent",
  "tracking",
  "button",
  "note",
  "privacy_url",
  "done_title",
  "done_text",
] as const;

/** The hidden input in which the list of fields stands, since it is no text that somebody types. */
export const FIELDS_INPUT = "fields";

export function bodyOf(values: Values): FormPatch {
  return {
    name: values.text("name"),
    status: values.isChecked("is_open") ? "active" : "paused",
    double_opt_in: values.isChecked("double_opt_in"),
    checks: values.text("checks") as Form["checks"],
    fields: JSON.parse(values.text(FIELDS_INPUT)) as AskedField[],
    texts: Object.fromEntries(TEXTS.map((name) => [name, values.textOrNull(`texts.${name}`)])),
    locale: values.textOrNull("locale"),
    redirect_url: values.textOrNull("redirect_url"),
    tags: values
      .text("tags")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    topic_ids: [...values.all("topic_ids")],
  };
}
