/** What becomes of messages, as events. One queued or accepted is an event only for those who asked: there are so many. */
import { setImmediate } from "node:timers/promises";
import { type EventType, recordEvents } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import type { MailEvent, Settled } from "./journal-store.ts";

/** The ids by which an event names what the message's source belongs to. */
export type OwnerIds = Readonly<Record<string, string>>;

export function eventsOf(clock: Clock, ownerIds: OwnerIds, settled: readonly Settled[]): MailEvent[] {
  return settled.map((one) => {
    const data = JSON.stringify({
      ...ownerIds,
      ...recipientIds(one),
      attempt: one.attempt,
      ...(one.why && { reason: one.why }),
      ...(one.code && { code: one.code }),
    });
    return { id: newId(clock), type: typeOf(one), data };
  });
}

const TOLD_AT_ONCE = 1_000;

/** In the transaction that plans them. A few at a time: a slice has 25,000, and others wait for this thread. */
export async function tellQueued(
  ctx: TxCtx,
  ownerIds: OwnerIds,
  recipients: readonly Named[],
): Promise<void> {
  for (let begin = 0; begin < recipients.length; begin += TOLD_AT_ONCE) {
    const some = recipients.slice(begin, begin + TOLD_AT_ONCE);
    const events = some.map((recipient) => ({
      type: "email.queued" as const,
      data: { ...ownerIds, ...recipientIds(recipient), attempt: 0 },
    }));
    await recordEvents(ctx, events);
    await setImmediate();
  }
}

/** The contact counts where there is no subscriber. */
type Named = { readonly subscriberId: string | null; readonly contactId?: string };

/** Who is no subscriber has no id but the contact's. */
function recipientIds(one: Named): Record<string, string> {
  if (one.subscriberId !== null) return { subscriber_id: toPublicId("sub", one.subscriberId) };
  return { contact_id: toPublicId("con", one.contactId ?? "") };
}

function typeOf({ state, bounce }: Settled): EventType | null {
  if (bounce) return "email.bounced";
  if (state === "sent") return "email.sent";
  if (state === "deferred") return "email.deferred";
  return state === "failed" || state === "unknown" ? "email.failed" : null;
}
