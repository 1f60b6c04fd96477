/** Opens given sources for tests, and adds recipients who are no subscribers. */
import { addRecipients, closeSource, type GivenRecipient, openSource } from "../../src/delivery/delivery.ts";
import { storeRevision } from "../../src/messages/messages.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Bench } from "./delivery.ts";
import { until } from "./until.ts";

export async function openGiven(bench: Bench, more: Partial<Parameters<typeof openSource>[1]> = {}) {
  const ownerId = newId(bench.clock);
  const id = await bench.ctx(async (ctx) => {
    const revisionId = await storeRevision(ctx.sql, ctx.accountId, { subject: "Given" }, ctx.clock);
    return openSource(ctx, {
      ownerId,
      stream: "transactional",
      revisionId,
      listId: null,
      onAmbiguous: "resend",
      hasInstanceServer: false,
      ...more,
    });
  });
  const add = (recipients: readonly GivenRecipient[]) =>
    bench.ctx(async (ctx) => {
      const added = await addRecipients(ctx, bench.owner, id, recipients);
      return added.kind === "added" ? { kind: added.kind, count: added.contacts.size } : added;
    });
  const isLookedAt = async () => {
    const { found } = await bench.db.one<{ found: boolean }>(
      sql`select exists (select from runnable where source_id = ${id}) as found`,
    );
    return found;
  };
  return {
    id,
    ownerId,
    add,
    isLookedAt,
    close: () => bench.ctx((ctx) => closeSource(ctx, id)),
    hasEnded: () => until(() => bench.ended.has(ownerId)),
    hasSent: (count: number) => until(async () => (await bench.counts(ownerId)).sent === count),
    mailed: async () =>
      (
        await bench.db.many<{ to: string; stream: string }>(sql`
          select envelope_to as to, stream from sandbox_messages where owner_id = ${ownerId} order by envelope_to`)
      ).map(({ to, stream }) => (stream === "transactional" ? to : stream)),
    rows: () =>
      bench.db.many<{ contact_id: string; state: string; why: string | null }>(
        sql`select contact_id, state, why from deliveries where source_id = ${id} order by contact_id`,
      ),
  };
}

/** Adds contacts who are no subscribers, and returns them as recipients. */
export async function addStrangers(bench: Bench, emails: readonly string[]): Promise<GivenRecipient[]> {
  const ids = emails.map(() => newId(bench.clock));
  await bench.db.execute(sql`
    insert into contacts (account_id, id, address_hash, created_at)
    select ${bench.accountId}, id, sha256(email::bytea), now()
    from unnest(${ids}::uuid[], ${[...emails]}::text[]) as new (id, email)`);
  return emails.map((email, n) => ({
    contactId: ids[n] as string,
    subscriberId: null,
    email,
    values: { order: n },
  }));
}
