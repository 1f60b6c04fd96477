/** What became of the mail of all recent campaigns together, which is how mailbox providers judge a sender. */
import { type Static, Type } from "typebox";
import type { SourceCounts } from "../../delivery/delivery.ts";
import { Timestamp } from "../../platform/http/schemas.ts";
import { bounceCounts, counts, rate } from "../../tracking/tracking.ts";

export const SendingStats = Type.Object(
  {
    object: Type.Literal("sending_stats"),
    since: Timestamp,
    as_of: Timestamp,
    ...counts(["recipients", "queued", "sent", "delivered", "failed", "unknown"] as const),
    bounces: bounceCounts,
    ...counts(["complaints", "unsubscribes"] as const),
    rates: Type.Object(
      { delivery: Type.Number(), hard_bounce: Type.Number(), complaint: Type.Number() },
      {
        description:
          "From 0 to 1; 0 where there is nothing to divide by. `hard_bounce` is over what was sent or failed and `complaint` over what " +
          "was sent, as the account's `guardrails` count for one campaign.",
      },
    ),
  },
  { title: "SendingStats" },
);

export function shapeSendingStats(
  source: SourceCounts,
  { since, asOf }: { readonly since: Date; readonly asOf: Date },
): Static<typeof SendingStats> {
  const { recipients, queued, sent, failed, unknown, bounces, complaints, unsubscribes } = source;
  const delivered = Math.max(0, sent - source.returned);
  return {
    object: "sending_stats",
    since: since.toISOString(),
    as_of: asOf.toISOString(),
    recipients,
    queued,
    sent,
    delivered,
    failed,
    unknown,
    bounces,
    complaints,
    unsubscribes,
    rates: {
      delivery: rate(delivered, sent + failed),
      hard_bounce: rate(bounces.hard, sent + failed),
      complaint: rate(complaints, sent),
    },
  };
}
