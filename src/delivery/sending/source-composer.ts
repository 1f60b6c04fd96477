/** From rows of the ledger to messages: revisions are prepared once a source and sender, then composed for a few at a time. */
import { isKept } from "../../events/events.ts";
import type { Db } from "../../platform/db/db.ts";
import { type FoundRecipient, type MergeValues, prepareMergeValues } from "../../subscribers/subscribers.ts";
import { messageIdOf } from "../ids.ts";
import { findSource, type Lease, type LedgerRow, readRevision, type SourceRow } from "../ledger/ledger.ts";

import type { Compose, Composed, ComposeMany, Recipient } from "../types.ts";

export type SourceComposer = {
  /** undefined when the source doesn't run any more. */
  open(lease: Lease): Promise<OpenSource | undefined>;
};

export type OpenSource = SourceRow & {
  /** Its text may speak of tags: then they are read for each recipient. */
  readonly needsTags: boolean;
  /** Somebody wants an event for each message that was accepted. */
  readonly keepsSent: boolean;
  /** In the order of the rows; only for those whose subscriber is still there. */
  compose(rows: readonly LedgerRow[], now: Date): Promise<readonly Composed[]>;
};

const MOST_KEPT = 50;

type Prepared = { readonly needsTags: boolean; compose(): Promise<ComposeMany> };

export function createSourceComposer(db: Db, compose: Compose): SourceComposer {
  const prepared = new Map<string, Promise<Prepared>>();

  function prepare(accountId: string, source: SourceRow): Promise<Prepared> {
    const key = `${source.id} ${source.launch}`;
    const known = prepared.get(key);
    if (known) return known;
    const made = prepareRevision(accountId, source);
    // What failed is tried again by the next batch.
    made.then((one) => one.compose()).catch(() => prepared.delete(key));
    prepared.set(key, made);
    const [oldest] = prepared.keys();
    if (prepared.size > MOST_KEPT && oldest !== undefined) prepared.delete(oldest);
    return made;
  }

  async function prepareRevision(accountId: string, source: SourceRow): Promise<Prepared> {
    const revision = await readRevision(db, accountId, source.id);
    const composeMany = compose({ accountId, id: source.campaign_id, revision });
    return { needsTags: JSON.stringify(revision).includes("tags"), compose: () => composeMany };
  }

  return {
    async open({ accountId, sourceId }) {
      const source = await findSource(db, accountId, sourceId);
      if (source?.state !== "running") return undefined;
      const [mergeValuesOf, keepsSent] = await Promise.all([
        prepareMergeValues(db, accountId),
        isKept(db, accountId, "email.sent"),
      ]);
      const ready = await prepare(accountId, source);
      return {
        ...source,
        keepsSent,
        needsTags: ready.needsTags,
        async compose(rows, now) {
          const composeMany = await ready.compose();
          const composed = await composeMany(rows.map((row) => recipientOf(row, source, mergeValuesOf, now)));
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
  mergeValuesOf: (subscriberId: string, found: FoundRecipient) => MergeValues,
  now: Date,
): Recipient {
  return {
    contactId: row.contact_id,
    subscriberId: row.subscriber_id,
    listId: source.list_id,
    email: row.email ?? "",
    subscriber: mergeValuesOf(row.subscriber_id, row),
    messageId: messageIdOf(source.id, row.contact_id),
    date: row.dated_at ?? now,
  };
}
