import type { PartitionedTable } from "../platform/db/partitions.ts";

export const eventPartitions: PartitionedTable = {
  table: "events",
  every: "week",
  keepMs: 30 * 24 * 3_600_000,
  ahead: 2,
};
