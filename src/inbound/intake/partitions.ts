/** What came back is kept for 30 days, by partitions that are dropped whole. */
import type { PartitionedTable } from "../../platform/db/partitions.ts";

const DAY_MS = 24 * 3_600_000;
export const KEPT_MS = 30 * DAY_MS;

export const inboundPartitions: readonly PartitionedTable[] = [
  { table: "inbound_items", uuidColumn: "id", every: "day", keepMs: KEPT_MS, ahead: 2 },
];
