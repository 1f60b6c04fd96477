import { TOO_MANY_BY_PROGRAMS } from "../../platform/http/audit.ts";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import { TrackBatch, TrackBatchResult, TrackedEvent, TrackInput } from "./schema.ts";
import { trackBatch, trackEvent } from "./track.ts";

const tag = "Subscribers";
const scope = "events:write";
/** A thousand with 8 KB of properties each, and what stands around them. */
const MOST_BATCH_BYTES = 10 * 1_024 * 1_024;

export const customEventRoutes: readonly Route[] = [
  writeRoute({
    method: "POST",
    path: "/v1/track",
    scope,
    audit: { action: "subscriber.event_tracked", of: "account", onlyByPeople: TOO_MANY_BY_PROGRAMS },
    tag,
    summary: "Report what a subscriber did",
    description:
      "Segments can ask for it (`event`), the timeline shows it, and automations may begin by it. Told again with the same `key`, it is " +
      "the same event. Events are kept for 400 days, and deleted with their subscriber.",
    body: TrackInput,
    success: { status: 202, schema: TrackedEvent, description: "It was taken down." },
    async handler({ ctx, body }) {
      const event = await trackEvent(ctx, body);
      return {
        status: 202,
        body: event,
        subjects: [requireId("sub", event.subscriber_id, "subscriber")],
      };
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/track/batch",
    scope,
    audit: { action: "subscriber.events_tracked", of: "account", onlyByPeople: TOO_MANY_BY_PROGRAMS },
    tag,
    summary: "Report up to 1,000 events",
    description: "One result for each, in order. One that is wrong stops no other.",
    body: TrackBatch,
    mostBodyBytes: MOST_BATCH_BYTES,
    success: { status: 202, schema: TrackBatchResult, description: "What became of each." },
    async handler({ ctx, body }) {
      const { results, subscriberIds } = await trackBatch(ctx, body.events);
      return { status: 202, body: { object: "batch" as const, results }, subjects: subscriberIds };
    },
  }),
];
