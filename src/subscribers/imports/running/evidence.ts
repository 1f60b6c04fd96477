/** What a file tells of a person's consent is kept beside what we know ourselves, with the time that it tells. */
import type { TxCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/db.ts";
import { newId } from "../../../platform/ids.ts";
import { insertConsents, type NewConsent } from "../../write-store.ts";
import type { ImportRow } from "../reading/reading.ts";
import type { NewSubscriber } from "./batch-store.ts";

/** The opt-in itself is written with the subscriber; this is that it was confirmed, and that it was withdrawn. */
export async function recordFreshEvidence(
  ctx: TxCtx,
  fresh: readonly NewSubscriber[],
  source: string,
): Promise<void> {
  await insertConsents(
    ctx,
    fresh.flatMap((row): NewConsent[] => [
      ...confirmationOf(row.id, row),
      ...(row.standing.hasLeft
        ? [{ ...noEvidence(row.id, "withdrawn"), source, givenAt: row.history.unsubscribedAt }]
        : []),
    ]),
  );
}

/** Somebody who was here already gets what is new in the file, once. It changes no status. */
export async function recordMergedEvidence(
  ctx: TxCtx,
  matched: readonly { id: string; row: ImportRow }[],
  source: string,
): Promise<void> {
  const told = matched.flatMap(({ id, row }) => {
    const { optedInAt, optInIp, optInSource } = row.history;
    const granted =
      optedInAt || optInIp
        ? [{ ...noEvidence(id, "granted"), source: optInSource ?? source, ip: optInIp, givenAt: optedInAt }]
        : [];
    return [...granted, ...confirmationOf(id, row)];
  });
  if (told.length === 0) return;
  const rows = told.map((one) => ({ ...one, id: newId(ctx.clock) }));
  await ctx.sql.execute(sql`
    insert into consents (account_id, subscriber_id, id, action, attested, source, ip, given_at, actor_kind, actor_id,
                          created_at)
    select ${ctx.accountId}, "subscriberId", id, action, false, source, ip, "givenAt", ${ctx.actor.kind}, ${ctx.actor.id},
           ${ctx.clock.now()}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (
      "subscriberId" uuid, id uuid, action text, source text, ip text, "givenAt" timestamptz)
    where not exists (
      select from consents c
      where c.account_id = ${ctx.accountId} and c.subscriber_id = "subscriberId" and c.action = new.action
        and c.given_at is not distinct from "givenAt" and c.ip is not distinct from new.ip)`);
}

function confirmationOf(id: string, { history }: ImportRow): NewConsent[] {
  const { confirmedAt, confirmIp, optInSource } = history;
  if (!confirmedAt && !confirmIp) return [];
  return [{ ...noEvidence(id, "confirmed"), source: optInSource, ip: confirmIp, givenAt: confirmedAt }];
}

function noEvidence(subscriberId: string, action: NewConsent["action"]): NewConsent {
  return { subscriberId, action, attested: false, source: null, wording: null, ip: null };
}
