/** A form with all that belongs to it: its list, its account and the fields that it asks for. */
import { type AccountRow, getAccount, isReadOnly } from "../accounts/accounts.ts";
import { trackingModeOf } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import { fromPublicId } from "../platform/ids.ts";
import { findPublicName } from "../platform/public-names.ts";
import { allFields, type FieldRow, findList, type ListRow } from "../subscribers/subscribers.ts";
import { type FormRow, findForm } from "./store.ts";

/** In public_names: a form's address names no account. */
export const KIND = "form";

export type AskedField = {
  /** `email`, `first_name`, `last_name`, or `fields.` and the key of a custom field. */
  readonly name: string;
  readonly label: string | null;
  readonly isRequired: boolean;
  readonly custom: FieldRow | undefined;
};

export type OpenForm = {
  readonly row: FormRow;
  readonly account: AccountRow;
  readonly list: ListRow;
  readonly fields: readonly AskedField[];
  /** All custom fields of the account. */
  readonly known: readonly FieldRow[];
  /** Whether people are asked if their opens and clicks may be recorded as theirs. */
  readonly asksTracking: boolean;
};

/** `closed`: the form is paused, its list is gone, or its account takes no changes. */
export type FoundForm =
  | { readonly kind: "open"; readonly form: OpenForm }
  | { readonly kind: "closed"; readonly account: AccountRow; readonly row: FormRow }
  | { readonly kind: "none" };

export async function findPublicForm(db: Queryable, publicId: string): Promise<FoundForm> {
  // A malformed id is no name at all, and not looked for.
  if (!fromPublicId("frm", publicId)) return { kind: "none" };
  const named = await findPublicName(db, KIND, publicId);
  const row = named && (await findForm(db, named.account_id, named.id));
  return row ? openForm(db, row) : { kind: "none" };
}

export async function openForm(
  db: Queryable,
  row: FormRow,
  whether: "if active" | "even if paused" = "if active",
): Promise<FoundForm> {
  const [account, isShut, list, known] = await Promise.all([
    getAccount(db, row.account_id),
    whether === "if active" && isReadOnly(db, row.account_id),
    findList(db, row.account_id, row.list_id),
    allFields(db, row.account_id),
  ]);
  if (!account) return { kind: "none" };
  if (!list || isShut || (row.status !== "active" && whether === "if active"))
    return { kind: "closed", account, row };
  const asksTracking = trackingModeOf({ list, account }) === "consented";
  return {
    kind: "open",
    form: { row, account, list, known, fields: askedFields(row, known), asksTracking },
  };
}

/** A custom field that was deleted is asked for no longer. */
export function askedFields(row: Pick<FormRow, "fields">, known: readonly FieldRow[]): readonly AskedField[] {
  return row.fields.flatMap(({ name, field_id, label, required }) => {
    const custom = known.find(({ id }) => id === field_id);
    const asked = name ?? (custom && `fields.${custom.key}`);
    return asked === undefined ? [] : [{ name: asked, label, isRequired: required, custom }];
  });
}
