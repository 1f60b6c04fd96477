/**
 * Stores submitted mails. Those that come at the same time, by whatever connections, are stored in one transaction, since that
 * costs more than a mail. Each that has a Message-ID is stored under an idempotency key: who sends the very same mail again
 * within 24 hours, having missed our reply, gets the first answer.
 */
import { createHash } from "node:crypto";
import { type AcceptTools, acceptEmails, type PreparedEmail, prepareEmail } from "../emails/emails.ts";
import type { EmailCreate } from "../emails/schema.ts";
import type { Ctx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import { createGroupCommit, type GroupCommit } from "../platform/group-commit.ts";
import {
  claimKeys,
  findFirstAnswer,
  type IdempotentRequest,
  identifyRequest,
  isUndone,
  readFirstAnswer,
  storeAnswers,
} from "../platform/http/idempotency.ts";
import { toPublicId } from "../platform/ids.ts";
import { createLruCache } from "../platform/lru-cache.ts";
import { AppError } from "../platform/problems.ts";

/** What a client is told of a mail that is stored. */
export type StoredMail = { readonly id: string; readonly recipients: number; readonly suppressed: number };

/** A mail as the client sent it, by which a repetition is known. */
export type SentMail = {
  readonly messageId: string | undefined;
  readonly recipients: readonly string[];
  readonly bytes: Buffer;
};

type Sender = Pick<Ctx, "accountId" | "actor">;
type StoreTools = AcceptTools & Pick<Ctx, "clock" | "log"> & { readonly db: Db };
type Item = { readonly prepared: PreparedEmail; readonly identified: IdempotentRequest | undefined };
type Outcome = { readonly stored: StoredMail } | { readonly error: unknown };

type Writer = GroupCommit<Item, Outcome> & { underWay: number };

/** While PostgreSQL writes one group, the next is read. */
const WRITERS = 2;
const MOST_IN_A_GROUP = 100;
/** A mail from this size on is stored by itself, so that no statement becomes huge. */
const LARGE_BYTES = 128 * 1_024;
/** So many keys have writers of their own. Those that are forgotten while they write are made anew. */
const MOST_KEYS = 1_000;

export function createSubmittedStore(tools: StoreTools) {
  const { db, clock, log, secrets } = tools;
  /** The mails with a key that are being stored, by that. */
  const underWay = new Map<string, Promise<StoredMail>>();
  const writersOf = createLruCache<readonly Writer[]>(MOST_KEYS);
  const ctxFor = <S extends Ctx["sql"]>(sender: Sender, sql: S): Ctx<S> => ({ ...sender, sql, clock, log });

  function findWriters(sender: Sender): readonly Writer[] {
    const name = `${sender.accountId} ${sender.actor.id}`;
    const known = writersOf.get(name);
    if (known) return known;
    const made = Array.from({ length: WRITERS }, () => ({
      underWay: 0,
      ...createGroupCommit<Item, Outcome>((items) => storeAll(sender, items), { most: MOST_IN_A_GROUP }),
    }));
    writersOf.set(name, made);
    return made;
  }

  async function storeInGroup(writers: readonly Writer[], item: Item): Promise<Outcome> {
    const writer = writers.reduce((least, one) => (one.underWay < least.underWay ? one : least));
    writer.underWay++;
    return writer.add(item).finally(() => writer.underWay--);
  }

  /** What is wrong with one mail, or has been answered before, makes all fail; then each is tried by itself. */
  async function storeAll(sender: Sender, items: readonly Item[]): Promise<Outcome[]> {
    try {
      return (await store(sender, items)).map((stored) => ({ stored }));
    } catch (error) {
      if (items.length === 1 || !isUndone(error)) return items.map(() => ({ error }));
    }
    const outcomes: Outcome[] = [];
    for (const item of items) outcomes.push(...(await storeAll(sender, [item])));
    return outcomes;
  }

  async function store(sender: Sender, items: readonly Item[]): Promise<StoredMail[]> {
    return db.transaction(async (tx) => {
      const ctx = ctxFor(sender, tx);
      const claims = items.flatMap(({ identified }) => identified ?? []);
      if (claims.length > 0) claimKeys(tx, clock, claims);
      const accepted = await acceptEmails(
        ctx,
        tools,
        items.map(({ prepared }) => prepared),
      );
      const stored = accepted.map(({ row }, nth) => describe(row.id, items[nth] as Item));
      const answers = accepted.flatMap(({ row }, nth) => {
        const request = items[nth]?.identified;
        const answer = { status: 250, headers: {}, body: JSON.stringify(stored[nth]) };
        return request ? [{ request, answer, subjects: [row.id] }] : [];
      });
      if (answers.length > 0) storeAnswers(tx, secrets, clock, answers);
      return stored;
    });
  }

  /** The key is made of all that makes two mails the same, so another mail under the same Message-ID is another mail. */
  function identify({ accountId, actor }: Sender, mail: SentMail): IdempotentRequest | undefined {
    if (mail.messageId === undefined) return undefined;
    const digest = createHash("sha256")
      .update(JSON.stringify([actor.id, ...mail.recipients.toSorted()]))
      .update(mail.bytes);
    const key = `smtp ${digest.digest("hex")}`;
    return identifyRequest(secrets, { accountId, key, method: "SMTP", url: "", body: null });
  }

  async function firstAnswer(identified: IdempotentRequest | undefined, error: unknown) {
    if (!identified) return undefined;
    // A mail that is refused now may have been accepted before, since a suppression can lie between the two.
    return error instanceof AppError
      ? readFirstAnswer(db.hot, secrets, clock, identified)
      : findFirstAnswer(db.hot, secrets, clock, identified, error);
  }

  async function prepareAndStore(
    sender: Sender,
    given: EmailCreate,
    isLarge: boolean,
    identified: IdempotentRequest | undefined,
  ): Promise<StoredMail> {
    try {
      const prepared = await prepareEmail(ctxFor(sender, db.hot), tools, given);
      const item = { prepared, identified };
      const [outcome] = isLarge
        ? await storeAll(sender, [item])
        : [await storeInGroup(findWriters(sender), item)];
      if (outcome && "stored" in outcome) return outcome.stored;
      throw outcome?.error;
    } catch (error) {
      const first = await firstAnswer(identified, error);
      if (first?.body) return JSON.parse(first.body);
      throw error;
    }
  }

  /** Resolves once the mail is durable. It throws a refusal, or the error that kept it from being stored. */
  return (sender: Sender, given: EmailCreate, sent: SentMail): Promise<StoredMail> => {
    const identified = identify(sender, sent);
    const isLarge = sent.bytes.length >= LARGE_BYTES;
    if (!identified) return prepareAndStore(sender, given, isLarge, undefined);
    // Two of the same in one transaction wouldn't see each other's keys.
    const name = `${identified.lockId}`;
    const known = underWay.get(name);
    if (known) return known;
    const storing = prepareAndStore(sender, given, isLarge, identified).finally(() => underWay.delete(name));
    underWay.set(name, storing);
    return storing;
  };
}

function describe(mailId: string, { prepared: { recipients } }: Item): StoredMail {
  const suppressed = recipients.filter(({ suppressedFor }) => suppressedFor !== null).length;
  return { id: toPublicId("msg", mailId), recipients: recipients.length, suppressed };
}
