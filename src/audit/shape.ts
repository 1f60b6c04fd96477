import type { Queryable } from "../platform/db/db.ts";
import type { AuditActor } from "../platform/http/audit.ts";
import { toPublicId } from "../platform/ids.ts";
import type { AuditEntry } from "./schema.ts";
import type { AuditRow } from "./store.ts";

/** Finds what users and keys are called now, by their public ids; the floor that has them hands this in. */
export type ActorNames = (
  db: Queryable,
  accountId: string,
  actors: readonly AuditActor[],
) => Promise<ReadonlyMap<string, string>>;

/** Names whoever acted, all by one statement. */
export async function shapeEntries(
  db: Queryable,
  accountId: string,
  readNames: ActorNames,
  rows: readonly AuditRow[],
): Promise<AuditEntry[]> {
  const names = await readNames(db, accountId, rows.map(actorOf));
  return rows.map((row) => shape(row, names));
}

function actorOf(row: AuditRow): AuditActor {
  return { kind: row.actor_kind, id: row.actor_id };
}

function shape(row: AuditRow, names: ReadonlyMap<string, string>): AuditEntry {
  const at = row.created_at.toISOString();
  return {
    object: "audit_entry",
    id: toPublicId("aud", row.id),
    action: row.action,
    actor: { ...actorOf(row), name: (row.actor_id && names.get(row.actor_id)) || null },
    target_id: row.target_id,
    fields: row.fields,
    network: row.network,
    user_agent: row.user_agent,
    request_id: row.request_id,
    created_at: at,
    updated_at: at,
  };
}
