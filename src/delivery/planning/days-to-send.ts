/** Says on how many days a campaign would leave, by what its transport may be given in a day and its account may send. */
import { dayOf, readDailyLimit } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import { findProviders, OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import { sampleDomains } from "../../subscribers/subscribers.ts";
import { findTransportFor } from "../transports/transports.ts";
import { estimateDays } from "../warmup/warmup.ts";

/** So many of the list say at which providers the others are. */
const SAMPLED = 5_000;

/**
 * Returns null where nothing limits a day. It is a guess: every day is taken for a good one, and the providers of the newest on the list for those
 * of all.
 */
export async function guessDays(
  ctx: Ctx,
  { listId, mails }: { readonly listId: string; readonly mails: number },
  hasInstanceServer: boolean,
): Promise<number | null> {
  const transport = await findTransportFor(ctx.sql, ctx.accountId, "campaign", hasInstanceServer);
  if (!transport || mails === 0) return null;
  const of = { accountId: ctx.accountId, transportId: transport.id, day: dayOf(ctx.clock.now()) };
  const limit = await readDailyLimit(ctx.sql, ctx.accountId, of.day);
  return estimateDays(ctx.sql, { ...of, limit, mails }, () => shareOut(ctx, listId, mails));
}

async function shareOut({ sql: db, accountId }: Ctx, listId: string, mails: number) {
  const domains = await sampleDomains(db, accountId, listId, SAMPLED);
  const providers = await findProviders(
    db,
    domains.map(({ domain }) => domain),
  );
  const sampled = domains.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map<string, number>();
  for (const { domain, count } of domains) {
    const provider = providers.get(domain)?.key ?? OTHER_PROVIDER;
    counts.set(provider, (counts.get(provider) ?? 0) + count);
  }
  return new Map([...counts].map(([provider, count]) => [provider, Math.ceil((mails * count) / sampled)]));
}
