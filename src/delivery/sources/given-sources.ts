/** A given source isn't planned from an audience: it is opened, recipients are added one after another, and it is closed. */
import { isKept } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import {
  addRunnable,
  insertPlan,
  lockPlan,
  lockSource,
  notifyReady,
  notifyWatchers,
  recordQueued,
} from "../ledger/ledger.ts";
import { transportFor } from "../transports/transports.ts";
import type { GivenRecipient, NewGivenSource, SourceOwner } from "../types.ts";
import { closePlan, insertGiven } from "./given-store.ts";
import { insertSource } from "./launch-store.ts";

/** Returns the id of the new source, which keeps the transport that its stream has now, as long as that exists. */
export async function openSource(ctx: TxCtx, source: NewGivenSource): Promise<string> {
  const { sql, accountId, clock } = ctx;
  const {
    ownerId,
    stream,
    revisionId,
    listId,
    topicId,
    onAmbiguous,
    hasInstanceServer,
    step = null,
  } = source;
  const transport = await transportFor(sql, accountId, stream, hasInstanceServer);
  const { isSandbox = transport.id === INSTANCE_TRANSPORT && !hasInstanceServer } = source;
  const id = newId(clock);
  await insertSource(sql, {
    account_id: accountId,
    id,
    owner_id: ownerId,
    stream,
    transport_id: isSandbox ? SANDBOX_TRANSPORT : transport.id,
    revision_id: revisionId,
    list_id: listId,
    segment_id: null,
    segment_rules: null,
    topic_id: topicId ?? null,
    is_given: true,
    step,
    on_ambiguous: onAmbiguous,
    launched_at: clock.now(),
  });
  await insertPlan(sql, accountId, id, clock.now(), 0);
  return id;
}

/** `closed` says that the source was closed or canceled, or has failed, and that nobody was added. */
type AddedRecipients =
  | { readonly kind: "added"; readonly contacts: ReadonlySet<string> }
  | { readonly kind: "closed" };

/**
 * Adds recipients within the caller's transaction, and says which contacts are new: one that the source has already is not added again. The source stays
 * locked until the transaction ends; otherwise a sender could meanwhile remove it from those with something to send.
 */
export async function addRecipients(
  ctx: TxCtx,
  owner: Pick<SourceOwner, "idsInEvents">,
  sourceId: string,
  recipients: readonly GivenRecipient[],
): Promise<AddedRecipients> {
  const { sql, accountId, clock } = ctx;
  const [source, plan, keepsQueued] = await Promise.all([
    lockSource(sql, accountId, sourceId),
    lockPlan(sql, accountId, sourceId),
    isKept(sql, accountId, "email.queued"),
  ]);
  if (!source?.is_given) throw new Error(`source ${sourceId} is not given its recipients`);
  const isOpen = source.state === "running" || source.state === "paused";
  if (!isOpen || !plan || plan.ended_at) return { kind: "closed" };
  const once = [...new Map(recipients.map((one) => [one.contactId, one])).values()];
  const known = await insertGiven(sql, accountId, sourceId, once, clock.now());
  const contacts = new Set(once.map(({ contactId }) => contactId));
  for (const contactId of known) contacts.delete(contactId);
  if (contacts.size === 0) return { kind: "added", contacts };
  if (keepsQueued) {
    const ownerIds = owner.idsInEvents({ stream: source.stream, ownerId: source.owner_id });
    const queued = once.filter(({ contactId }) => contacts.has(contactId));
    await recordQueued(ctx, ownerIds, queued);
  }
  await Promise.all([
    source.state === "running" && wakeSenders(ctx, sourceId),
    notifyWatchers(sql, source.owner_id),
  ]);
  return { kind: "added", contacts };
}

/** Closes a source, which a sender ends as done once every message is settled. Closing it twice changes nothing. */
export async function closeSource(ctx: TxCtx, sourceId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const source = await lockSource(sql, accountId, sourceId);
  if (!source?.is_given) throw new Error(`source ${sourceId} is not given its recipients`);
  await closePlan(sql, accountId, sourceId, clock.now());
  if (source.state === "running") await wakeSenders(ctx, sourceId);
}

async function wakeSenders({ sql, accountId }: TxCtx, sourceId: string): Promise<void> {
  await Promise.all([addRunnable(sql, accountId, sourceId), notifyReady(sql, sourceId)]);
}
