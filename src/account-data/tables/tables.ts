/**
 * Every table that has rows of an account, in an order in which what is referred to comes first: the export goes forwards through it, the
 * deletion backwards. A test holds it against the schema, table by table and column by column, so that none can be forgotten.
 */
import { audienceTables } from "./audience.ts";
import { mailTables } from "./mail.ts";
import { settingsTables } from "./settings.ts";
import { exported, leftOut, type TableOfAccount } from "./table.ts";

export { type Column, columnsBehind, type ExportedTable, type Row, type TableOfAccount } from "./table.ts";

export const TABLES: readonly TableOfAccount[] = [
  ...settingsTables,
  ...audienceTables,
  ...mailTables,
  exported("events", "event", "id:evt type created_at actor_kind actor_id data", {
    xid: "the log is read in its order",
  }),
  exported(
    "audit_log",
    "audit_entry",
    "id:aud created_at actor_kind actor_id action target_id fields network user_agent request_id",
  ),
  leftOut("idempotency_answers", "they are answers that were given already, sealed and kept for a day"),
];
