/** How an endpoint does, by its last deliveries. */
import type { WebhookDelivery } from "../../api/openapi.ts";

export type Health = {
  /** Those that count: a test says nothing about what happens by itself, and neither does what wasn't tried yet. */
  readonly counted: readonly WebhookDelivery[];
  readonly delivered: number;
  /** The duration that as many were faster as slower than; undefined where none was delivered. */
  readonly middleMs: number | undefined;
};

export function healthOf(deliveries: readonly WebhookDelivery[]): Health {
  const counted = deliveries.filter(({ origin, attempts }) => origin !== "test" && attempts.length > 0);
  const delivered = counted.filter(({ status }) => status === "delivered");
  const durations = delivered
    .flatMap(({ attempts }) => attempts.at(-1)?.duration_ms ?? [])
    .toSorted((one, other) => one - other);
  return { counted, delivered: delivered.length, middleMs: durations[Math.floor(durations.length / 2)] };
}
