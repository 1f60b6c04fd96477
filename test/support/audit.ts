import { sql } from "../../src/platform/db/db.ts";
import type { Route } from "../../src/platform/http/route.ts";
import type { TestApp } from "./app.ts";

/** Returns how many rows the route declares for a write of somebody who belongs to one account. */
export function declaredRows({ audit }: Route, by: "key" | "person"): number {
  if (!audit || "none" in audit) return 0;
  return by === "key" && audit.onlyByPeople !== undefined ? 0 : 1;
}

export type StoredRow = {
  account_id: string;
  actor_kind: string;
  actor_id: string | null;
  action: string;
  target_id: string;
  fields: string[];
  network: string | null;
  user_agent: string | null;
  request_id: string | null;
};

/**
 * Reads all rows of all accounts, in the order in which they were written. Two of one millisecond stand in any order, so whoever wants the
 * new ones names those that were there.
 */
export function auditRows(app: Pick<TestApp, "db">, except: readonly string[] = []): Promise<StoredRow[]> {
  return app.db.many<StoredRow>(sql`
    select account_id, actor_kind, actor_id, action, target_id, fields, network, user_agent, request_id
    from audit_log where id <> all(${[...except]}::uuid[]) order by created_at, id`);
}
