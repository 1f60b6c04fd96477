/** Says on how many days a campaign would leave, by what its transport may be given in a day. */
import { dayOf } from "../../accounts/accounts.ts";
import { providerOfDomain } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import { findTransportFor } from "../transports/transports.ts";
import { estimateDays } from "../warmup/warmup.ts";

/** So many of the list say at which providers the others are. */
const SAMPLED = 5_000;

/**
 * Returns null where nothing limits a day. It is a guess: every day is taken for a good one, and the providers of the newest on the list for those
 * of all. Domains that aren't a provider's own count as others.
 */
export async function guessDays(
  ctx: Ctx,
  { listId, mails }: { readonly listId: string; readonly mails: number },
  hasInstanceServer: boolean,
): Promise<number | null> {
  const transport = await findTransportFor(ctx.sql, ctx.accountId, "campaign", hasInstanceServer);
  if (!transport || mails === 0) return null;
  const of = { accountId: ctx.accountId, transportId: transport.id, day: dayOf(ctx.clock.now()) };
  return estimateDays(ctx.sql, of, () => shareOut(ctx, listId, mails));
}

/** The index subscribers_of_list_by_status serves it. */
async function shareOut({ sql: db, accountId }: Ctx, listId: string, mails: number) {
  const domains = await db.many<{ domain: string; count: number }>(sql`
    select lower(split_part(email, '@', 2)) as domain, count(*) as count from (
      select email from subscribers where account_id = ${accountId} and list_id = ${listId} and status = 'active'
      order by created_at desc limit ${SAMPLED}) as s group by 1`);
  const sampled = domains.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map<string, number>();
  for (const { domain, count } of domains) {
    const provider = providerOfDomain(domain)?.key ?? OTHER_PROVIDER;
    counts.set(provider, (counts.get(provider) ?? 0) + count);
  }
  return new Map([...counts].map(([provider, count]) => [provider, Math.ceil((mails * count) / sampled)]));
}
