import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookDelivery } from "../../api/openapi.ts";
import { healthOf } from "./health.ts";

const at = "2026-11-14T09:30:00.000Z";

function delivery(
  status: WebhookDelivery["status"],
  ms: number | undefined,
  origin: WebhookDelivery["origin"] = "log",
) {
  const attempts = ms === undefined ? [] : [{ at, duration_ms: ms, status: 200, failure: null }];
  return { status, origin, attempts } as unknown as WebhookDelivery;
}

test("counts what was tried, without tests, and finds the duration in the middle of what was delivered", () => {
  const health = healthOf([
    delivery("delivered", 30),
    delivery("delivered", 10),
    delivery("delivered", 5_000),
    delivery("failed", 15_000),
    delivery("waiting", undefined),
    delivery("delivered", 1, "test"),
  ]);
  assert.deepEqual([health.counted.length, health.delivered, health.middleMs], [4, 3, 30]);
});

test("knows nothing of an endpoint without deliveries", () => {
  assert.deepEqual(healthOf([]), { counted: [], delivered: 0, middleMs: undefined });
});
