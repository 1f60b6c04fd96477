import { csvLine } from "../platform/csv.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { AuditEntry } from "./schema.ts";
import { type ActorNames, shapeEntries } from "./shape.ts";
import { type AuditFilter, listAudit } from "./store.ts";

const BATCH = 2_000;
const COLUMNS = [
  "created_at",
  "action",
  "target_id",
  "actor_kind",
  "actor_id",
  "actor_name",
  "fields",
  "network",
  "user_agent",
  "request_id",
  "id",
];

type Reading = {
  readonly db: Queryable;
  readonly accountId: string;
  readonly readNames: ActorNames;
  /** Fires when whoever asked has gone, or the server stops. */
  readonly signal: AbortSignal;
};

/** Yields the file in batches of lines, each read when the one before is on its way: a file of any size takes the memory of one batch. */
export async function* auditLines(
  { db, accountId, readNames, signal }: Reading,
  filter: AuditFilter,
  format: "csv" | "jsonl",
): AsyncGenerator<string, void> {
  if (format === "csv") yield csvLine(COLUMNS);
  const write = format === "csv" ? csvOf : (entry: AuditEntry) => `${JSON.stringify(entry)}\n`;
  let after: { createdAt: string; id: string } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const rows = await listAudit(db, accountId, filter, { limit: BATCH, after });
    const last = rows.at(-1);
    if (last) yield (await shapeEntries(db, accountId, readNames, rows)).map(write).join("");
    if (!last || rows.length < BATCH) return;
    after = { createdAt: last.created_at.toISOString(), id: last.id };
  }
}

function csvOf({ actor, ...entry }: AuditEntry): string {
  return csvLine([
    entry.created_at,
    entry.action,
    entry.target_id,
    actor.kind,
    actor.id ?? "",
    actor.name ?? "",
    entry.fields.join(" "),
    entry.network ?? "",
    entry.user_agent ?? "",
    entry.request_id ?? "",
    entry.id,
  ]);
}
