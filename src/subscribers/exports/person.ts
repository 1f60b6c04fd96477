/** What an account keeps about one person, whichever lists they are on. */
import type { TrackingMode } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { plainValuesOf } from "../columns.ts";
import { allFields, type FieldRow, nameFieldValues } from "../fields/fields.ts";
import type { Status } from "../status.ts";
import { findSubscribers, type SubscriberView } from "../subscriber-store.ts";

export type ListOfPerson = {
  readonly subscriberId: string;
  readonly email: string;
  readonly status: Status;
  readonly trackingConsent: boolean | null;
  readonly listId: string;
  readonly listName: string;
  readonly isPublic: boolean;
  /** Null where the account's mode holds. */
  readonly tracking: TrackingMode | null;
};

const MOST_LISTS = 500;

/** The lists that an address is on, or was, by name. It uses the index subscribers_by_contact. */
export function listListsOfPerson(
  db: Queryable,
  accountId: string,
  contactId: string,
): Promise<ListOfPerson[]> {
  return db.many<ListOfPerson>(sql`
    select s.id as "subscriberId", s.email, s.status, s.tracking_consent as "trackingConsent", l.id as "listId",
      l.name as "listName", l.is_public as "isPublic", l.tracking
    from subscribers s join lists l on l.account_id = s.account_id and l.id = s.list_id
    where s.account_id = ${accountId} and s.contact_id = ${contactId} and l.deleted_at is null
    order by lower(l.name), l.id limit ${MOST_LISTS}`);
}

/** The person on each list, as the API shows it, with the list's name. */
export async function readPersonOnLists(ctx: Ctx, contactId: string) {
  const lists = await listListsOfPerson(ctx.sql, ctx.accountId, contactId);
  const names = new Map(lists.map((one) => [one.subscriberId, one.listName]));
  const [views, fields] = await Promise.all([
    findSubscribers(ctx.sql, ctx.accountId, [...names.keys()]),
    allFields(ctx.sql, ctx.accountId),
  ]);
  return views.map((view) => ({ view, listName: names.get(view.id) ?? "", shown: showPerson(view, fields) }));
}

function showPerson(view: SubscriberView, fields: readonly FieldRow[]) {
  return {
    email: view.email,
    ...plainValuesOf(view),
    tags: view.tags,
    fields: nameFieldValues(fields, view.fields),
    status: view.status,
    status_reason: view.status_reason,
    source: view.source,
    tracking_consent: view.tracking_consent,
    tracking_consent_at: view.tracking_consent_at,
    consented_at: view.consented_at,
    confirmed_at: view.confirmed_at,
    unsubscribed_at: view.unsubscribed_at,
    created_at: view.created_at,
    updated_at: view.updated_at,
  };
}

export type StandingOfPerson = {
  readonly opt_outs: readonly {
    readonly list: string | null;
    readonly reason: string | null;
    readonly source: string;
    readonly at: Date;
  }[];
  readonly suppression: { readonly reason: string; readonly source: string; readonly at: Date } | null;
};

/** What stands against mailing the address. */
export async function readStandingOfPerson(ctx: Ctx, contactId: string): Promise<StandingOfPerson> {
  const [optOuts, suppression] = await Promise.all([
    ctx.sql.many<StandingOfPerson["opt_outs"][number]>(sql`
      select l.name as list, o.reason, o.source, o.created_at as at
      from opt_outs o left join lists l on l.account_id = o.account_id and l.id = o.list_id
      where o.account_id = ${ctx.accountId} and o.contact_id = ${contactId} order by o.created_at`),
    ctx.sql.maybeOne<NonNullable<StandingOfPerson["suppression"]>>(sql`
      select reason, source, created_at as at from suppressions
      where account_id = ${ctx.accountId} and contact_id = ${contactId}`),
  ]);
  return { opt_outs: optOuts, suppression: suppression ?? null };
}
