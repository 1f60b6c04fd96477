/**
 * Records what becomes of messages as events. Queued and accepted messages are so many that only accounts which asked for
 * these events get them.
 */
import { setImmediate } from "node:timers/promises";
import { type EventType, recordEvents } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import type { MailEvent, Settled } from "./journal-store.ts";

/** The ids by which an event names what the message's source belongs to. */
export type OwnerIds = Readonly<Record<string, string>>;
/** They are the same for all rows of a source, except in a wave, where each mail has its own. */
export type IdsOf = OwnerIds | ((contactId: string) => OwnerIds);

export function eventsOf(clock: Clock, idsOf: IdsOf, settled: readonly Settled[]): MailEvent[] {
  return settled.map((one) => {
    const data = JSON.stringify({
      ...(typeof idsOf === "function" ? idsOf(one.contactId) : idsOf),
      ...recipientIds({ ...one, contactId: one.personId ?? one.contactId }),
      attempt: one.attempt,
      ...(one.why && { reason: one.why }),
      ...(one.code && { code: one.code }),
    });
    return { id: newId(clock), type: typeOf(one), data };
  });
}

const RECORDED_AT_ONCE = 1_000;

/**
 * Records `email.queued` in the transaction that adds the recipients. It lets other work run in between, because a slice of
 * 25,000 recipients would occupy the thread for too long.
 */
export async function recordQueued(
  ctx: TxCtx,
  ownerIds: OwnerIds,
  recipients: readonly NamedRecipient[],
): Promise<void> {
  for (let begin = 0; begin < recipients.length; begin += RECORDED_AT_ONCE) {
    const some = recipients.slice(begin, begin + RECORDED_AT_ONCE);
    const events = some.map((recipient) => ({
      type: "email.queued" as const,
      data: { ...ownerIds, ...recipientIds(recipient), attempt: 0 },
    }));
    await recordEvents(ctx, events);
    await setImmediate();
  }
}

/** The contact's id is needed only where there is no subscriber. */
type NamedRecipient = { readonly subscriberId: string | null; readonly contactId?: string };

/** A recipient who is no subscriber is named by the id of the contact. */
function recipientIds(one: NamedRecipient): Record<string, string> {
  if (one.subscriberId !== null) return { subscriber_id: toPublicId("sub", one.subscriberId) };
  return { contact_id: toPublicId("con", one.contactId ?? "") };
}

function typeOf({ state, bounce }: Settled): EventType | null {
  if (bounce) return "email.bounced";
  if (state === "sent") return "email.sent";
  if (state === "deferred") return "email.deferred";
  return state === "failed" || state === "unknown" ? "email.failed" : null;
}
