/** An endpoint is an owner of the types of event that are written only where somebody wants them. */
import { type EventType, keepEvents, releaseEvents } from "../events/events.ts";
import type { Tx } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { typesOfPatterns } from "./event-patterns.ts";

/** There is one of these for each message, for each time that somebody looks at one, or for whatever else somebody does. */
const WRITTEN_ON_REQUEST: ReadonlySet<EventType> = new Set([
  "email.queued",
  "email.sent",
  "email.delivered",
  "email.opened",
  "email.clicked",
  "subscriber.event_tracked",
  "subscriber.imported",
]);

export function ownerOf(webhookId: string): string {
  return `webhook ${toPublicId("whk", webhookId)}`;
}

type Wanting = {
  readonly account_id: string;
  readonly id: string;
  readonly events: readonly string[];
  readonly is_enabled: boolean;
};

/** Has them written from now on for who wants them, and for nobody who is disabled. */
export function keepTypesOf(tx: Tx, { account_id, id, events, is_enabled }: Wanting): Promise<void> {
  if (!is_enabled) return releaseEvents(tx, account_id, ownerOf(id));
  const types = typesOfPatterns(events).filter((type) => WRITTEN_ON_REQUEST.has(type));
  return keepEvents(tx, account_id, ownerOf(id), types);
}
