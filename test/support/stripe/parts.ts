import type { Json } from "../subscribers.ts";

/** What Stripe answers to what it refuses. */
export class Refused extends Error {
  readonly body: Json;
  readonly status: number;
  constructor(body: Json, status = 404) {
    super(String(body["message"]));
    this.body = body;
    this.status = status;
  }
}

export function missing(message: string, param: string): Refused {
  return new Refused({ type: "invalid_request_error", code: "resource_missing", message, param });
}

export function monthsAfter(seconds: number, months: number): number {
  const at = Temporal.Instant.fromEpochMilliseconds(seconds * 1_000).toZonedDateTimeISO("UTC");
  return Math.floor(at.add({ months }).epochMilliseconds / 1_000);
}
