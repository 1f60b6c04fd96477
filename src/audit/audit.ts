/**
 * The audit log says who did what to what, and from where. A row is written in the transaction of the change, is never changed, and is kept for 24
 * months. Requests are recorded by what their routes declare (`src/platform/http/audit.ts`). Other folders use this file alone.
 */
import type { Clock } from "../platform/clock.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Tx } from "../platform/db/db.ts";
import type { PartitionedTable } from "../platform/db/partitions.ts";
import type { AuditActor, AuditRecord, RecordAudit } from "../platform/http/audit.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { type AuditRow, insertOnce, insertRow } from "./store.ts";

const DAY_MS = 24 * 3_600_000;

export const auditPartitions: PartitionedTable = {
  table: "audit_log",
  every: "month",
  // Two years, of which one may be a leap year.
  keepMs: 731 * DAY_MS,
  ahead: 2,
  guard: { setting: "postrider.may_remove_audit", refuse: "refuse_audit_change" },
};

export function createAuditRecorder(clock: Clock): RecordAudit {
  return (tx, records) => {
    for (const record of records) insertRow(tx, toRow({ id: newId(clock), at: clock.now() }, record));
  };
}

/** Records what was done without a request: by the operator at the command line, or by the program itself. */
export function recordAct(
  { sql, accountId, clock }: Pick<TxCtx, "sql" | "accountId" | "clock">,
  kind: "operator" | "system",
  action: `${string}.${string}`,
  /** The public id of what it was done to; without it that is the account. */
  targetId: string | null = null,
): void {
  const actor: AuditActor = { kind, id: null };
  createAuditRecorder(clock)(sql, [{ accountId, actor, action, targetId, fields: [], origin: null }]);
}

type Occasion = { readonly id: string; readonly at: Date };

/** Records what happened earlier, once in each account: a job that runs twice adds nothing the second time. Returns how many rows are new. */
export async function recordOnce(
  tx: Tx,
  occasion: Occasion,
  records: readonly AuditRecord[],
): Promise<number> {
  let added = 0;
  for (const record of records) if (await insertOnce(tx, toRow(occasion, record))) added++;
  return added;
}

function toRow({ id, at }: Occasion, record: AuditRecord): AuditRow {
  const { accountId, actor, action, targetId, fields, origin } = record;
  return {
    account_id: accountId,
    id,
    created_at: at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    action,
    target_id: targetId ?? toPublicId("acc", accountId),
    fields: [...fields],
    network: origin?.network ?? null,
    user_agent: origin?.userAgent ?? null,
    request_id: origin?.requestId ?? null,
  };
}
