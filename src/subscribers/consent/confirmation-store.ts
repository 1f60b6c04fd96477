/** All statements about requests to confirm, each of which is answered by one mail. */
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { addJobs, defineJob } from "../../platform/jobs/jobs.ts";
import type { SubscriberRow } from "../columns.ts";
import { lockSubscriber } from "../subscriber-store.ts";

export type ConfirmationPayload = { account_id: string; subscriber_id: string; confirmation_id: string };

/** Mails the link by which somebody confirms. The floor that writes mail says how it is run. */
export const mailConfirmationKind = defineJob<ConfirmationPayload>({
  name: "mail_confirmation",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

/** What a form adds to a request. */
export type AskedByForm = {
  readonly formId: string;
  /** The language of the form; null where the person's own counts. */
  readonly locale: string | null;
  /** Where the person is led once the address is confirmed. */
  readonly afterUrl: string | null;
  /** The topics that are switched on once the address is confirmed; what the person has chosen stays. */
  readonly topicIds: readonly string[];
};

/** Records requests, and adds the jobs that mail them, in the transaction of their cause. */
export async function insertConfirmations(
  ctx: TxCtx,
  wanted: readonly { readonly id: string; readonly contact_id: string }[],
  form: AskedByForm | null = null,
): Promise<void> {
  if (wanted.length === 0) return;
  const { sql: tx, accountId, clock } = ctx;
  const requests = wanted.map((row) => ({
    id: newId(clock),
    subscriberId: row.id,
    contactId: row.contact_id,
  }));
  await tx.execute(sql`
    insert into confirmations (account_id, subscriber_id, id, contact_id, requested_at, form_id, locale, after_url, topic_ids)
    select ${accountId}, subscriber_id, id, contact_id, ${clock.now()}, ${form?.formId ?? null}::uuid,
           ${form?.locale ?? null}::text, ${form?.afterUrl ?? null}::text, ${[...(form?.topicIds ?? [])]}::uuid[]
    from unnest(${requests.map((one) => one.subscriberId)}::uuid[], ${requests.map((one) => one.id)}::uuid[],
                ${requests.map((one) => one.contactId)}::uuid[]) as new (subscriber_id, id, contact_id)`);
  const payloads = requests.map(({ id, subscriberId }) => ({
    account_id: accountId,
    subscriber_id: subscriberId,
    confirmation_id: id,
  }));
  await addJobs(tx, mailConfirmationKind, payloads);
}

/**
 * Returns when each of these contacts was asked to confirm since then, newest first. Others who ask for the same contacts wait for us,
 * so that requests at the same time can't get more than their number.
 */
export async function recentConfirmations(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, readonly Date[]>> {
  const ids = sql`${[...contactIds]}::uuid[]`;
  await tx.execute(sql`
    select from contacts where account_id = ${accountId} and id = any(${ids}) order by id for no key update`);
  const rows = await tx.many<{ contact_id: string; requested_at: Date }>(sql`
    select contact_id, requested_at from confirmations
    where account_id = ${accountId} and contact_id = any(${ids}) and requested_at > ${since}
    order by requested_at desc`);
  const grouped = Map.groupBy(rows, (row) => row.contact_id);
  return new Map([...grouped].map(([id, some]) => [id, some.map((row) => row.requested_at)]));
}

export type ConfirmationRow = {
  readonly contact_id: string;
  readonly requested_at: Date;
  readonly locale: string | null;
  readonly after_url: string | null;
  readonly topic_ids: readonly string[];
};

const columns = sql`contact_id, requested_at, locale, after_url, topic_ids`;

export function findConfirmation(
  db: Queryable,
  accountId: string,
  subscriberId: string,
  id: string,
): Promise<ConfirmationRow | undefined> {
  return db.maybeOne<ConfirmationRow>(sql`
    select ${columns} from confirmations
    where account_id = ${accountId} and subscriber_id = ${subscriberId} and id = ${id}`);
}

export type ConfirmationToMail = {
  readonly subscriber: SubscriberRow;
  readonly confirmation: ConfirmationRow;
};

/**
 * Marks a request as mailed, in the transaction that accepts its mail, and returns whom it is for. It returns undefined where that was
 * done before, so that a job which runs twice mails once, and where nobody is to be asked any more.
 */
export async function takeConfirmation(
  { sql: tx, accountId, clock }: TxCtx,
  { subscriber_id: subscriberId, confirmation_id: id }: ConfirmationPayload,
): Promise<ConfirmationToMail | undefined> {
  // Subscribers are locked before all that belongs to them, as everywhere.
  const subscriber = await lockSubscriber(tx, accountId, subscriberId);
  if (subscriber?.status !== "pending") return undefined;
  const confirmation = await tx.maybeOne<ConfirmationRow>(sql`
    update confirmations set sent_at = ${clock.now()}
    where account_id = ${accountId} and subscriber_id = ${subscriberId} and id = ${id} and sent_at is null
      and contact_id = ${subscriber.contact_id}
    returning ${columns}`);
  return confirmation && { subscriber, confirmation };
}
