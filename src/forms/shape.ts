/** Writes forms as the API returns them. */
import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { toPublicId } from "../platform/ids.ts";
import type { FieldRow } from "../subscribers/subscribers.ts";
import { askedFields } from "./open-form.ts";
import { type Form, TEXT_NAMES } from "./schema.ts";
import type { FormRow } from "./store.ts";

export function shapeForm(row: FormRow, known: readonly FieldRow[], publicUrl: string): Form {
  const id = toPublicId("frm", row.id);
  return {
    object: "form",
    id,
    name: row.name,
    list_id: toPublicId("lst", row.list_id),
    topic_ids: row.topic_ids.map((topicId) => toPublicId("top", topicId)),
    fields: askedFields(row, known).map(({ name, label, isRequired }) => ({
      name,
      label,
      required: isRequired,
    })),
    double_opt_in: row.double_opt_in,
    locale: row.locale,
    texts: Object.fromEntries(
      TEXT_NAMES.map((name) => [name, row.texts[name] ?? null]),
    ) as unknown as Form["texts"],
    redirect_url: row.redirect_url,
    tags: [...row.tags],
    checks: row.checks,
    status: row.status,
    version: row.version,
    url: `${publicUrl}/f/${id}`,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
