/** What becomes of messages, as events. An accepted one is an event only for those who asked: there are so many. */
import type { EventType } from "../events/events.ts";
import type { Clock } from "../platform/clock.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import type { MailEvent, Settled } from "./journal-store.ts";

export function eventsOf(clock: Clock, id: string, settled: readonly Settled[]): MailEvent[] {
  const campaignId = toPublicId("cmp", id);
  return settled.map((one) => {
    const data = JSON.stringify({
      campaign_id: campaignId,
      subscriber_id: toPublicId("sub", one.subscriberId),
      attempt: one.attempt,
      ...(one.why && { reason: one.why }),
      ...(one.code && { code: one.code }),
    });
    return { id: newId(clock), type: typeOf(one), data };
  });
}

function typeOf({ state, bounce }: Settled): EventType | null {
  if (bounce) return "email.bounced";
  if (state === "sent") return "email.sent";
  if (state === "deferred") return "email.deferred";
  return state === "failed" || state === "unknown" ? "email.failed" : null;
}
