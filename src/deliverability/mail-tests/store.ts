/** All statements of mail tests. */
import { bytesArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { MailTestReport, MailTestSummary, ReportItem } from "./schema.ts";

export type TestRow = {
  account_id: string;
  id: string;
  status: MailTestSummary["status"];
  campaign_id: string;
  campaign_name: string;
  subject: string;
  from_address: string;
  transport_id: string | null;
  transport_name: string;
  sent_at: Date | null;
  reply: string | null;
  arrived_at: Date | null;
  item_id: string | null;
  failure: string | null;
  has_others: boolean;
  score: number | null;
  created_at: Date;
  expires_at: Date;
  finished_at: Date | null;
};

const columns = sql`account_id, id, status, campaign_id, campaign_name, subject, from_address, transport_id, transport_name,
  sent_at, reply, arrived_at, item_id, failure, has_others, score, created_at, expires_at, finished_at`;

export type NewTest = Pick<
  TestRow,
  | "account_id"
  | "id"
  | "campaign_id"
  | "campaign_name"
  | "subject"
  | "from_address"
  | "transport_id"
  | "transport_name"
  | "created_at"
  | "expires_at"
> & { readonly proofs: readonly Buffer[]; readonly checks: readonly ReportItem[] };

export function insertTest(tx: Tx, test: NewTest): Promise<TestRow> {
  return tx.one<TestRow>(sql`
    insert into mail_tests (account_id, id, status, campaign_id, campaign_name, subject, from_address, transport_id,
                            transport_name, proofs, checks, created_at, expires_at)
    values (${test.account_id}, ${test.id}, 'waiting', ${test.campaign_id}, ${test.campaign_name}, ${test.subject},
            ${test.from_address}, ${test.transport_id}, ${test.transport_name}, ${bytesArray(test.proofs)}::bytea[],
            ${JSON.stringify(test.checks)}::json, ${test.created_at}, ${test.expires_at})
    returning ${columns}`);
}

/** Counts tests since then while no other request can add one, since a lock on the account keeps two such counts apart. */
export async function lockAndCountSince(tx: Tx, accountId: string, since: Date): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from mail_tests where account_id = ${accountId} and created_at > ${since}`);
  return count;
}

export function findTest(db: Queryable, accountId: string, id: string): Promise<TestRow | undefined> {
  return db.maybeOne<TestRow>(sql`
    select ${columns} from mail_tests where account_id = ${accountId} and id = ${id}`);
}

export async function readReport(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<MailTestReport | null> {
  const found = await db.maybeOne<{ report: MailTestReport | null }>(sql`
    select report from mail_tests where account_id = ${accountId} and id = ${id}`);
  return found?.report ?? null;
}

export async function readChecks(db: Queryable, accountId: string, id: string): Promise<ReportItem[]> {
  const found = await db.maybeOne<{ checks: ReportItem[] }>(sql`
    select checks from mail_tests where account_id = ${accountId} and id = ${id}`);
  return found?.checks ?? [];
}

/** The indexes are mail_tests_newest and mail_tests_of_campaign. */
export function listTests(
  db: Queryable,
  accountId: string,
  campaignId: string | undefined,
  page: AgePage,
): Promise<TestRow[]> {
  const ofCampaign = campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`;
  return db.many<TestRow>(sql`
    select ${columns} from mail_tests where account_id = ${accountId} ${ofCampaign} ${newestFirst(page)}`);
}

export async function countTests(
  db: Queryable,
  accountId: string,
  campaignId: string | undefined,
): Promise<number> {
  const ofCampaign = campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`;
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from mail_tests where account_id = ${accountId} ${ofCampaign}`);
  return count;
}

/** Says whether the mail of a test may still come. */
export async function isOpenTest(db: Queryable, accountId: string, id: string, now: Date): Promise<boolean> {
  const { is_open } = await db.one<{ is_open: boolean }>(sql`
    select exists (
      select from mail_tests
      where account_id = ${accountId} and id = ${id} and status = 'waiting' and expires_at > ${now}) as is_open`);
  return is_open;
}

export type LockedTest = Pick<TestRow, "id" | "status" | "item_id"> & { proofs: Buffer[] };

export function lockTest(tx: Tx, accountId: string, id: string): Promise<LockedTest | undefined> {
  return tx.maybeOne<LockedTest>(sql`
    select id, status, item_id, proofs from mail_tests where account_id = ${accountId} and id = ${id} for update`);
}

export async function noteOther(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update mail_tests set has_others = true where account_id = ${accountId} and id = ${id}`);
}

export async function noteArrived(
  tx: Tx,
  accountId: string,
  id: string,
  { itemId, at }: { readonly itemId: string; readonly at: Date },
): Promise<void> {
  await tx.execute(sql`
    update mail_tests set item_id = ${itemId}, arrived_at = ${at}, sent_at = coalesce(sent_at, ${at})
    where account_id = ${accountId} and id = ${id}`);
}

export async function noteSent(
  db: Writable,
  accountId: string,
  id: string,
  { reply, at }: { readonly reply: string; readonly at: Date },
): Promise<void> {
  await db.execute(sql`
    update mail_tests set sent_at = coalesce(sent_at, ${at}), reply = ${reply}
    where account_id = ${accountId} and id = ${id}`);
}

/** Notes why the mail isn't handed over yet. */
export async function noteTry(db: Writable, accountId: string, id: string, reply: string): Promise<void> {
  await db.execute(sql`
    update mail_tests set reply = ${reply} where account_id = ${accountId} and id = ${id}`);
}

/** Ends a test without a report. One that has ended stays as it is. */
export async function failTest(
  db: Writable,
  accountId: string,
  id: string,
  { failure, at }: { readonly failure: string; readonly at: Date },
): Promise<void> {
  await db.execute(sql`
    update mail_tests set status = 'failed', failure = ${failure}, finished_at = ${at}
    where account_id = ${accountId} and id = ${id} and status = 'waiting'`);
}

/** Ends a test with its report, and says whether it still waited. */
export async function finishTest(
  tx: Tx,
  accountId: string,
  id: string,
  { report, at }: { readonly report: MailTestReport; readonly at: Date },
): Promise<boolean> {
  const ended = await tx.execute(sql`
    update mail_tests set status = 'done', report = ${JSON.stringify(report)}::json, score = ${report.score}, finished_at = ${at}
    where account_id = ${accountId} and id = ${id} and status = 'waiting'`);
  return ended > 0;
}

const NOT_SENT = "The mail could not be handed over in time.";
const NEVER_CAME =
  "The transport's server took the mail, but it never came here. Look into that server's log: the MX record of INBOUND_DOMAIN must lead to this instance, and port 25 to INBOUND_PORT.";
const OTHERS_CAME =
  "A mail came to the address, but without the marks that ours had: a server on the way has rewritten its headers, or somebody else has written to it.";

/** Finds the newest report of each transport's since then. The index is mail_tests_newest. */
export function findNewestReports(
  db: Queryable,
  accountId: string,
  since: Date,
): Promise<{ at: Date; report: MailTestReport }[]> {
  return db.many<{ at: Date; report: MailTestReport }>(sql`
    select distinct on (transport_id) created_at as at, report from mail_tests
    where account_id = ${accountId} and created_at > ${since} and status = 'done'
    order by transport_id, created_at desc limit 20`);
}

/** Ends the tests of all accounts whose mail didn't come in time. The index is mail_tests_waiting. */
export function expireTests(db: Writable, now: Date): Promise<number> {
  return db.execute(sql`
    update mail_tests set status = 'expired', finished_at = ${now},
      failure = case when has_others then ${OTHERS_CAME} when sent_at is null then coalesce(reply, ${NOT_SENT}) else ${NEVER_CAME} end
    where status = 'waiting' and expires_at <= ${now} and item_id is null`);
}

/** Forgets tests of all accounts. The index is mail_tests_by_age. */
export async function removeOldTests(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`delete from mail_tests where created_at < ${before}`);
}
