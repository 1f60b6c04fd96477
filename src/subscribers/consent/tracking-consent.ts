/** Whether somebody agreed to be tracked: when that was answered, and the log of who answered what. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { SubscriberRow } from "../columns.ts";
import { ALL_LISTS } from "../mailable.ts";
import type { ConsentInput } from "../schema.ts";
import { subjectOf } from "../subject.ts";
import { insertConsents, lockOfContact, type NewConsent, updateSubscribers } from "../write-store.ts";

type Answered = Pick<SubscriberRow, "tracking_consent" | "tracking_consent_at">;

/**
 * Dates an answer that differs from the one before, and the clearing of one: of mail from before that time, nobody can say what it
 * would have shown. Who is asked again and says the same keeps the first date.
 */
export function withAnswerDated<R extends Answered>(row: R, before: Answered | undefined, now: Date): R {
  if (row.tracking_consent === (before?.tracking_consent ?? null)) return row;
  return { ...row, tracking_consent_at: now };
}

type TrackingAnswer = {
  readonly row: Pick<SubscriberRow, "id" | "contact_id" | "list_id" | "tracking_consent">;
  /** Nothing was recorded yet of who is new. */
  readonly isNew: boolean;
  readonly evidence: ConsentInput | undefined;
  /** When the person said so, where that is told later. */
  readonly givenAt?: Date | null;
  /** By which way it came, for the log of an answer without evidence. */
  readonly source: string;
};

/** Logs answers, and has what was recorded of those who now refuse lose its name. */
export async function recordTrackingAnswers(ctx: TxCtx, answers: readonly TrackingAnswer[]): Promise<void> {
  await insertConsents(ctx, answers.map(logEntryOf));
  const refusing = answers.filter(({ row, isNew }) => !isNew && row.tracking_consent === false);
  await stopTracking(
    ctx,
    refusing.map(({ row }) => row),
  );
}

/** A person answers for themselves, and it holds on every list: whether their opens and clicks may be kept in their name. */
export async function answerTracking(
  ctx: TxCtx,
  contactId: string,
  answer: boolean,
  evidence: ConsentInput,
): Promise<boolean> {
  const now = ctx.clock.now();
  const changed = (await lockOfContact(ctx.sql, ctx.accountId, contactId))
    .filter((row) => row.tracking_consent !== answer)
    .map((row) => withAnswerDated({ ...row, tracking_consent: answer, updated_at: now }, row, now));
  if (changed.length === 0) return false;
  await updateSubscribers(ctx, changed);
  const source = evidence.source ?? "link";
  await recordTrackingAnswers(
    ctx,
    changed.map((row) => ({ row, isNew: false, evidence, source })),
  );
  await recordEvents(
    ctx,
    changed.map((row) => ({
      type: "subscriber.updated",
      data: { ...subjectOf(row), changed: ["tracking_consent"] },
    })),
  );
  return true;
}

function logEntryOf({ row, evidence, source, givenAt = null }: TrackingAnswer): NewConsent {
  const answer = row.tracking_consent;
  return {
    subscriberId: row.id,
    action: answer === null ? "tracking_cleared" : answer ? "tracking_granted" : "tracking_withdrawn",
    attested: evidence?.attested ?? false,
    source: evidence?.source ?? source,
    wording: evidence?.wording ?? null,
    ip: evidence?.ip ?? null,
    givenAt,
  };
}

/** What was recorded of these people in the mail of their lists is to lose its name. The floor that records it does that. */
async function stopTracking(
  ctx: TxCtx,
  people: readonly Pick<SubscriberRow, "contact_id" | "list_id">[],
): Promise<void> {
  if (people.length === 0) return;
  await ctx.sql.execute(sql`
    insert into tracking_withdrawals (account_id, contact_id, list_id, created_at)
    select ${ctx.accountId}, contact_id, list_id, ${ctx.clock.now()}
    from unnest(${people.map((one) => one.contact_id)}::uuid[], ${people.map((one) => one.list_id)}::uuid[])
      as gone (contact_id, list_id)
    order by contact_id, list_id
    -- One that waits already is locked by this, so that it isn't carried out before we have committed.
    on conflict (account_id, contact_id, list_id) do update set created_at = excluded.created_at`);
}

/** The same in all mail that they ever got, also of lists that they left or that are gone. */
export function stopTrackingEverywhere(ctx: TxCtx, contactId: string): Promise<void> {
  return stopTracking(ctx, [{ contact_id: contactId, list_id: ALL_LISTS }]);
}

export type Withdrawn = {
  readonly accountId: string;
  readonly contactId: string;
  /** Null for the mail of all lists. */
  readonly listId: string | null;
};

/** Takes some of those whose records are to lose their name, to be done in the same transaction. */
export function takeWithdrawn(tx: Tx, most: number): Promise<Withdrawn[]> {
  return tx.many<Withdrawn>(sql`
    delete from tracking_withdrawals
    where ctid = any(array(select ctid from tracking_withdrawals limit ${most} for update skip locked))
    returning account_id as "accountId", contact_id as "contactId", nullif(list_id, ${ALL_LISTS}) as "listId"`);
}

type Person = {
  readonly accountId: string;
  /** Null where nobody knows any more which subscriber was mailed. */
  readonly subscriberId: string | null;
  readonly contactId: string;
  readonly listId: string;
};

/**
 * Reads what each of these people answered, in their order; undefined where there is no such subscriber any more. The one who was
 * mailed is asked, who may have another address by now, and whoever has the address on that list: a no of either is a no, and
 * only both together say yes.
 * `offset 0` makes the server go by the contact: without statistics it went through the list for each, 20,000 took 130 s.
 */
export async function readTrackingConsents(
  db: Queryable,
  people: readonly Person[],
): Promise<readonly (boolean | null | undefined)[]> {
  const rows = await db.many<{ isThere: boolean; consent: boolean | null }>(sql`
    select found.is_there as "isThere", found.consent
    from unnest(${people.map((one) => one.accountId)}::uuid[], ${people.map((one) => one.subscriberId)}::uuid[],
                ${people.map((one) => one.contactId)}::uuid[], ${people.map((one) => one.listId)}::uuid[])
      with ordinality as m (account_id, subscriber_id, contact_id, list_id, n)
    cross join lateral (
      select count(*) > 0 as is_there, case when bool_or(tracking_consent is false) then false
                                               when bool_and(tracking_consent is true) then true end as consent
      from (
        select tracking_consent from subscribers s where s.account_id = m.account_id and s.id = m.subscriber_id
        union all
        select tracking_consent from (
          select list_id, tracking_consent from subscribers s
          where s.account_id = m.account_id and s.contact_id = m.contact_id offset 0
        ) as of_contact where list_id = m.list_id
      ) as either
    ) as found
    order by m.n`);
  return rows.map(({ isThere, consent }) => (isThere ? consent : undefined));
}

/** What a file says goes in, but no file undoes a refusal: it may be older. Null where nothing changes. */
export function answerFromFile(known: boolean | null, given: boolean | null): boolean | null {
  return known === false || known === given ? null : given;
}
