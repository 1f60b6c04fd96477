/** All statements of reports: what each item says of each recipient, and what was made of it. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { PartitionedTable } from "../../platform/db/partitions.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { MatchedBy } from "../matching/candidates.ts";
import type { Report } from "../types.ts";
import type { Outcome } from "./rules.ts";

/** Reports go with their items. */
export const reportPartitions: readonly PartitionedTable[] = [
  { table: "inbound_reports", uuidColumn: "item_id", every: "day", keepMs: 30 * 24 * 3_600_000, ahead: 2 },
];

export type ReportRow = {
  readonly itemId: string;
  readonly n: number;
  readonly kind: Report["kind"];
  readonly class: Report["class"];
  readonly reason: string | null;
  readonly status: string | null;
  readonly matchedBy: MatchedBy | null;
  readonly sourceId: string | null;
  readonly contactId: string | null;
  readonly personId: string | null;
  readonly outcome: Outcome;
  readonly why: string;
  readonly stormId: string | null;
};

export type NewReportRow = ReportRow & {
  readonly domain: string | null;
  readonly told: Told;
  readonly addressHash: Buffer | null;
  readonly receivedAt: Date;
};

/** The address as the report names it, and the words of the server, which may quote it. */
type Told = { readonly recipient: string | null; readonly diagnostic: string };

const columns = sql`item_id as "itemId", n, kind, class, reason, status, matched_by as "matchedBy", source_id as "sourceId",
  contact_id as "contactId", person_id as "personId", outcome, why, storm_id as "stormId"`;

const contextOf = (accountId: string, { itemId, n }: Pick<ReportRow, "itemId" | "n">) =>
  `${accountId} ${itemId} ${n}`;

/** Removes what was made of these items before, and returns it. */
export function takeReports(tx: Tx, accountId: string, itemIds: readonly string[]): Promise<ReportRow[]> {
  return tx.many<ReportRow>(sql`
    delete from inbound_reports where account_id = ${accountId} and item_id = any(${[...itemIds]}::uuid[])
    returning ${columns}`);
}

export async function insertReports(
  tx: Tx,
  secrets: Secrets,
  accountId: string,
  rows: readonly NewReportRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const plain = rows.map((row) => ({
    item_id: row.itemId,
    n: row.n,
    kind: row.kind,
    class: row.class,
    reason: row.reason,
    status: row.status,
    matched_by: row.matchedBy,
    source_id: row.sourceId,
    contact_id: row.contactId,
    person_id: row.personId,
    domain: row.domain,
    outcome: row.outcome,
    why: row.why,
    storm_id: row.stormId,
    received_at: row.receivedAt,
  }));
  const told = rows.map((row) =>
    secrets.seal("inbound-report", JSON.stringify(row.told), contextOf(accountId, row)),
  );
  await tx.execute(sql`
    insert into inbound_reports (account_id, item_id, n, kind, class, reason, status, told, address_hash, matched_by, source_id,
                                 contact_id, person_id, domain, outcome, why, storm_id, received_at)
    select ${accountId}, item_id, n, kind, class, reason, status, (${told}::bytea[])[nth], (${rows.map((row) => row.addressHash)}::bytea[])[nth],
           matched_by, source_id, contact_id, person_id, domain, outcome, why, storm_id, received_at
    from rows from (jsonb_to_recordset(${JSON.stringify(plain)}::jsonb) as (item_id uuid, n int, kind text, class text, reason text,
      status text, matched_by text, source_id uuid, contact_id uuid, person_id uuid, domain text, outcome text, why text,
      storm_id uuid, received_at timestamptz)) with ordinality as new (item_id, n, kind, class, reason, status, matched_by,
      source_id, contact_id, person_id, domain, outcome, why, storm_id, received_at, nth)`);
}

/** Lists the mails to these people that a report says to have arrived. The index inbound_reports_of_person serves it. */
export function listArrived(
  tx: Tx,
  accountId: string,
  personIds: readonly string[],
): Promise<Pick<ReportRow, "sourceId" | "contactId">[]> {
  return tx.many(sql`
    select distinct source_id as "sourceId", contact_id as "contactId" from inbound_reports
    where account_id = ${accountId} and person_id = any(${[...personIds]}::uuid[]) and kind = 'delivered' and outcome = 'noted'`);
}

type ShownReport = ReportRow & Told;

/** Lists what these items say and what was made of it, in their order. */
export async function listReports(
  db: Queryable,
  secrets: Secrets,
  accountId: string,
  itemIds: readonly string[],
): Promise<ShownReport[]> {
  const rows = await db.many<ReportRow & { told: Buffer }>(sql`
    select ${columns}, told from inbound_reports
    where account_id = ${accountId} and item_id = any(${[...itemIds]}::uuid[]) order by item_id, n`);
  return rows.map(({ told, ...row }) => ({ ...row, ...openTold(secrets, accountId, row, told) }));
}

/** What was sealed under a key that is gone is shown without. */
function openTold(secrets: Secrets, accountId: string, row: ReportRow, sealed: Buffer): Told {
  const text = secrets.open("inbound-report", sealed, contextOf(accountId, row));
  return text === undefined ? { recipient: null, diagnostic: "" } : (JSON.parse(text) as Told);
}

/**
 * Deletes what reports tell of these people, in the transaction that erases them, and returns the items that it was told by. What was
 * made of them stays, without a name.
 */
export async function forgetReports(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  const ids = sql`${[...contactIds]}::uuid[]`;
  const rows = await tx.many<{ id: string }>(sql`
    update inbound_reports set told = '', address_hash = null
    where account_id = ${accountId} and (person_id = any(${ids}) or address_hash = any(array(
      select c.address_hash from contacts c where c.account_id = ${accountId} and c.id = any(${ids}))))
    returning item_id as id`);
  return [...new Set(rows.map(({ id }) => id))];
}
