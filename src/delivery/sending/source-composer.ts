/** Turns rows of the ledger into messages. A sender prepares each revision once and then composes a few rows at a time. */
import { isKept } from "../../events/events.ts";
import type { Db } from "../../platform/db/db.ts";
import { type FoundRecipient, type MergeValues, prepareMergeValues } from "../../subscribers/subscribers.ts";
import { messageIdOf } from "../ids.ts";
import { findSource, isTransient, type Lease, type LedgerRow, type SourceRow } from "../ledger/ledger.ts";
import type { Composed, MessageComposer, PreparedRevision, Recipient } from "../types.ts";

export type SourceComposer = {
  /** Returns undefined when the source isn't running any more, or its account is held. */
  open(lease: Lease): Promise<OpenSource | undefined>;
};

export type OpenSource = SourceRow & {
  readonly needsTags: boolean;
  /** Whether the account wants an event for each message that was accepted. */
  readonly keepsSent: boolean;
  /** Answers in the order of the rows. It must be given only rows whose recipient still has an address. */
  compose(rows: readonly LedgerRow[], now: Date): Promise<readonly Composed[]>;
};

/** Is thrown when no message of the source can be composed, as opposed to one message. */
export class CannotCompose extends Error {
  /** The number of the launch that failed, so that a later launch isn't ended because of it. */
  readonly launch: number;

  constructor(launch: number, cause: Error) {
    super(cause.message, { cause });
    this.launch = launch;
  }
}

const MOST_KEPT = 50;

export function createSourceComposer(db: Db, composer: MessageComposer): SourceComposer {
  const prepared = new Map<string, Promise<PreparedRevision>>();

  function prepare(
    accountId: string,
    { revision_id: revisionId, stream }: SourceRow,
  ): Promise<PreparedRevision> {
    const key = `${accountId} ${revisionId}`;
    const known = prepared.get(key);
    if (known) return known;
    const made = composer.prepare(accountId, revisionId, stream);
    // A failure isn't cached, so the next batch tries again.
    made.catch(() => prepared.delete(key));
    prepared.set(key, made);
    const [oldest] = prepared.keys();
    if (prepared.size > MOST_KEPT && oldest !== undefined) prepared.delete(oldest);
    return made;
  }

  async function prepareFor(accountId: string, source: SourceRow): Promise<PreparedRevision> {
    try {
      return await prepare(accountId, source);
    } catch (error) {
      // A temporary fault, for example of the database, says nothing about the revision.
      if (isTransient(error)) throw error;
      throw new CannotCompose(source.launch, error as Error);
    }
  }

  return {
    async open({ accountId, sourceId }) {
      const source = await findSource(db, accountId, sourceId);
      if (source?.state !== "running" || source.is_held) return undefined;
      const [mergeValuesOf, keepsSent] = await Promise.all([
        prepareMergeValues(db, accountId),
        isKept(db, accountId, "email.sent"),
      ]);
      const revision = await prepareFor(accountId, source);
      return {
        ...source,
        keepsSent,
        needsTags: revision.needsTags,
        async compose(rows, now) {
          const recipients = rows.map((row) => recipientOf(row, source, mergeValuesOf, now));
          const composed = await revision.compose(source.id, recipients);
          if (composed.length !== rows.length) throw new Error("compose answered for other recipients");
          return composed;
        },
      };
    },
  };
}

function recipientOf(
  row: LedgerRow,
  source: SourceRow,
  mergeValuesOf: (subscriberId: string | null, found: FoundRecipient) => MergeValues,
  now: Date,
): Recipient {
  return {
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    listId: source.list_id,
    email: row.email ?? "",
    subscriber: mergeValuesOf(row.subscriber_id, row),
    values: row.values ?? {},
    trackingConsent: row.tracking_consent,
    messageId: messageIdOf(source.id, row.contact_id),
    date: row.dated_at ?? now,
  };
}
