/**
 * A custom event is something that a person did elsewhere, as a program of the account reports it: an order, a sign-in. Segments ask for
 * them, timelines show them, and automations begin by them.
 */
import type { PartitionedTable } from "../../platform/db/partitions.ts";
import { KEPT_DAYS } from "./limits.ts";

export { readConditions } from "./conditions.ts";
export { EVENT_NAME, KEPT_DAYS, LONGEST_EVENT_NAME } from "./limits.ts";
export { findCustomEvents, forgetCustomEvents, listCustomEventsOf, removeOldKeys } from "./store.ts";

const DAY_MS = 24 * 3_600_000;

export const customEventPartitions: PartitionedTable = {
  table: "custom_events",
  every: "month",
  keepMs: KEPT_DAYS * DAY_MS,
  ahead: 1,
};
