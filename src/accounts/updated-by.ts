/**
 * Objects that several people edit say who changed them last, so that whoever is refused with 412 can be told by whom. Every statement
 * that sets `updated_at` of these tables sets this beside it; a test reads the sources for that.
 */
import type { Actor } from "../platform/context.ts";
import { raw, type Sql, sql } from "../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import type { UpdatedBy } from "./updated-by-schema.ts";

type Kind = NonNullable<UpdatedBy>["kind"];
const PREFIXES = {
  user: "usr",
  api_key: "key",
  import: "imp",
  system: undefined,
} as const satisfies Record<Kind, string | undefined>;

/** As a statement returns it: the id is a UUID. */
export type UpdatedByRow = UpdatedBy;
/** A row before a statement has said who writes it. */
export type Unsigned<Row> = Omit<Row, "updated_by">;

/** Reads it as `updated_by` from a table or an alias. The names are found by primary key in the same statement. */
export function updatedByOf(table: string): Sql {
  const t = raw(table);
  return sql`case when ${t}.updated_by_kind is not null then jsonb_build_object(
    'kind', ${t}.updated_by_kind, 'id', ${t}.updated_by_id, 'name', case ${t}.updated_by_kind
      when 'user' then (select nullif(by_user.name, '') from users by_user
        where by_user.account_id = ${t}.account_id and by_user.id = ${t}.updated_by_id)
      when 'api_key' then (select by_key.name from api_keys by_key
        where by_key.account_id = ${t}.account_id and by_key.id = ${t}.updated_by_id)
    end) end as updated_by`;
}

type Signature = { readonly updated_by_kind: Kind; readonly updated_by_id: string | null };

export function signatureOf({ kind, id }: Actor): Signature {
  const prefix = PREFIXES[kind];
  return { updated_by_kind: kind, updated_by_id: (prefix && id && fromPublicId(prefix, id)) || null };
}

/** An insert names these columns, in the order of `signing`. */
export const signedColumns = sql`updated_by_kind, updated_by_id`;

/** Gives the values of `signedColumns`. */
export function signing(actor: Actor): Sql {
  const { updated_by_kind: kind, updated_by_id: id } = signatureOf(actor);
  return sql`${kind}::text, ${id}::uuid`;
}

/** Gives what an update sets beside `updated_at`. */
export function signedBy(actor: Actor): Sql {
  return sql`(${signedColumns}) = row(${signing(actor)})`;
}

export function shapeUpdatedBy(by: UpdatedByRow): UpdatedBy {
  const prefix = by && PREFIXES[by.kind];
  return by && { ...by, id: prefix && by.id ? toPublicId(prefix, by.id) : null };
}
