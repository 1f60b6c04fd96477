/** Sources that are given their recipients: opened, added to whenever somebody is to get the mail, and closed at last. */
import { isKept } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { transportFor } from "../transports/transports.ts";
import type { GivenRecipient, NewGivenSource, SourceOwner } from "../types.ts";
import { closePlan, insertGiven } from "./given-store.ts";
import { insertSource } from "./launch-store.ts";
import { tellQueued } from "./mail-events.ts";
import { notifyReady, notifyWatchers } from "./notifications.ts";
import { insertPlan, lockPlan } from "./plans-store.ts";
import { addRunnable } from "./runnable-store.ts";
import { lockSource } from "./source-store.ts";

/** Returns the source's id. It leaves by what its stream leaves by now, as long as it is there. */
export async function openSource(ctx: TxCtx, source: NewGivenSource): Promise<string> {
  const { sql, accountId, clock } = ctx;
  const { ownerId, stream, revisionId, listId, onAmbiguous, hasInstanceServer } = source;
  const transport = await transportFor(sql, accountId, stream, hasInstanceServer);
  const isSandbox = transport.id === INSTANCE_TRANSPORT && !hasInstanceServer;
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
    is_given: true,
    on_ambiguous: onAmbiguous,
    launched_at: clock.now(),
  });
  await insertPlan(sql, accountId, id, clock.now(), 0);
  return id;
}

/** `closed`: it was closed or canceled, or failed. Nobody was added then. */
type Added = { readonly kind: "added"; readonly count: number } | { readonly kind: "closed" };

/**
 * In the transaction of what made them recipients. A contact that the source has already is not added again. The source is
 * locked until that transaction has ended: else whoever looks at it meanwhile would take it for one with nothing to send.
 */
export async function addRecipients(
  ctx: TxCtx,
  owner: Pick<SourceOwner, "idsInEvents">,
  sourceId: string,
  recipients: readonly GivenRecipient[],
): Promise<Added> {
  const { sql, accountId, clock } = ctx;
  const source = await lockSource(sql, accountId, sourceId);
  if (!source?.is_given) throw new Error(`source ${sourceId} is not given its recipients`);
  const plan = await lockPlan(sql, accountId, sourceId);
  const isOpen = source.state === "running" || source.state === "paused";
  if (!isOpen || !plan || plan.ended_at) return { kind: "closed" };
  const added = await insertGiven(sql, accountId, sourceId, recipients, clock.now());
  if (added.length === 0) return { kind: "added", count: 0 };
  if (await isKept(sql, accountId, "email.queued")) {
    const contacts = new Set(added);
    const ownerIds = owner.idsInEvents({ stream: source.stream, ownerId: source.owner_id });
    const queued = new Map(recipients.map((one) => [one.contactId, one]));
    await tellQueued(
      ctx,
      ownerIds,
      [...queued.values()].filter(({ contactId }) => contacts.has(contactId)),
    );
  }
  if (source.state === "running") await wakeSenders(ctx, sourceId);
  await notifyWatchers(sql, source.owner_id);
  return { kind: "added", count: added.length };
}

/** It ends as done once all of it is settled; a sender sees to that. Again changes nothing. */
export async function closeSource(ctx: TxCtx, sourceId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const source = await lockSource(sql, accountId, sourceId);
  if (!source?.is_given) throw new Error(`source ${sourceId} is not given its recipients`);
  await closePlan(sql, accountId, sourceId, clock.now());
  if (source.state === "running") await wakeSenders(ctx, sourceId);
}

async function wakeSenders({ sql, accountId }: TxCtx, sourceId: string): Promise<void> {
  await addRunnable(sql, accountId, sourceId);
  await notifyReady(sql, sourceId);
}
