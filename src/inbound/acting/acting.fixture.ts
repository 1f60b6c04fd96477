/** A ledger with mails that were sent, and what comes back of them, for tests of acting. */
import { createHash } from "node:crypto";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { createReturnPaths } from "../../messages/messages.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createSecrets } from "../../platform/secrets.ts";
import type { InboundItem, NamedMessage, Report } from "../types.ts";
import { actOn, createActingTools, type ReadItem } from "./acting.ts";

export type Mail = NamedMessage & {
  readonly accountId: string;
  readonly email: string;
  readonly subscriberId: string;
};

const NO_CLUES = { named: null, token: null, providerId: null, messageId: null };

export const returnPaths = createReturnPaths(Buffer.alloc(32, 7));

export async function createActingBench() {
  const bench = await createBench({ writesLedger: true });
  const findByProviderId = async () => [];
  const tools = createActingTools({
    hashAddress: (key) => createHash("sha256").update(key).digest(),
    secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
    owner: bench.owner,
    verifyToken(token, accountId) {
      const read = returnPaths.read(token);
      return read && returnPaths.verify(read, accountId) ? read : null;
    },
    findByProviderId,
  });
  return {
    bench,
    tools,
    act: (read: readonly ReadItem[], accountId = bench.accountId) =>
      bench.ctx((ctx) => actOn(ctx, tools, read), accountId),
    addMails: (emails: readonly string[], more: MailOptions = {}) => addMails(bench, emails, more),
  };
}

type MailOptions = {
  accountId?: string;
  state?: "sent" | "unknown" | "inflight";
  at?: Date;
  people?: readonly Mail[];
};

/** Adds a source that sent a mail to each of these; to people who are there already where `people` are given. */
async function addMails(bench: Bench, emails: readonly string[], more: MailOptions): Promise<Mail[]> {
  const { accountId = bench.accountId, state = "sent", at = bench.clock.now(), people } = more;
  const { db } = bench;
  const sourceId = newId(bench.clock);
  const listId = await bench.addList(accountId);
  if (!people) await bench.addSubscribers(emails, listId, accountId);
  const rows =
    people ??
    (await db.many<{ subscriberId: string; contactId: string; email: string }>(sql`
      select id as "subscriberId", contact_id as "contactId", email from subscribers
      where account_id = ${accountId} and list_id = ${listId}`));
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  const mails = (people?.map(({ email }) => email) ?? emails).map((email): Mail => {
    const row = byEmail.get(email);
    if (!row) throw new Error("nobody has this address");
    return { accountId, sourceId, contactId: row.contactId, subscriberId: row.subscriberId, email };
  });
  await db.execute(sql`
    insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at)
    values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', 'finished', ${newId(bench.clock)}, ${listId}, 'hold', ${at})`);
  await db.execute(sql`
    insert into plans (account_id, source_id, bound_at, estimate, recipients, eligible, ended_at)
    values (${accountId}, ${sourceId}, ${at}, ${mails.length}, ${mails.length}, ${mails.length}, ${at})`);
  await db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, dated_at, changed_at)
    select ${accountId}, ${sourceId}, contact_id, id, 'campaign', ${newId(bench.clock)}, ${state}, 1, ${at}, ${at}
    from unnest(${mails.map((one) => one.contactId)}::uuid[], ${mails.map((one) => one.subscriberId)}::uuid[]) as new (contact_id, id)`);
  if (state === "inflight") return mails;
  await db.execute(sql`
    insert into counters (account_id, source_id, worker_id, what, count)
    values (${accountId}, ${sourceId}, ${newId(bench.clock)}, ${state}, ${mails.length})`);
  if (state === "unknown") {
    await db.execute(sql`
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
      select account_id, source_id, 'unknown', contact_id, 1, 'ambiguous', ${at} from deliveries
      where account_id = ${accountId} and source_id = ${sourceId}`);
  }
  return mails;
}

type Kind = "hard" | "soft" | "block" | "complaint" | "delivered" | "delay" | "unsubscribe" | "auto_reply";

/** An item that came to the return path of a mail, and says this of it. */
export function comeBack(
  mail: Mail,
  kind: Kind,
  more: { at?: Date; item?: Partial<InboundItem>; report?: Partial<Report> } = {},
): ReadItem {
  const { sourceId, contactId } = mail;
  const receivedAt = more.at ?? new Date();
  const item: InboundItem = {
    accountId: mail.accountId,
    id: newId({ now: () => receivedAt, monotonicMs: () => 0 }),
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: "",
    addressed: { kind: "bounce", sourceId, contactId },
    session: null,
    raw: Buffer.alloc(0),
    receivedAt,
    ...more.item,
  };
  const isBounce = kind === "hard" || kind === "soft" || kind === "block";
  const report: Report = {
    kind: isBounce ? "bounce" : kind,
    class: isBounce ? kind : null,
    reason: kind === "hard" ? "user_unknown" : null,
    status: kind === "hard" ? "5.1.1" : null,
    diagnostic: isBounce ? `550 <${mail.email}> no` : "",
    recipient: mail.email,
    clues: { ...NO_CLUES, named: { sourceId, contactId } },
    at: null,
    eventId: null,
    ...more.report,
  };
  return { item, reports: [report] };
}
