export const BULK_STATUSES = [
  "pending",
  "running",
  "completed",
  "failed",
  "canceled",
  "undoing",
  "undone",
] as const;
export type BulkStatus = (typeof BULK_STATUSES)[number];
