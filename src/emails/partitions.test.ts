import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../platform/config/load.ts";
import { emailPartitions } from "./partitions.ts";

const RETRIED_FOR_MS = 72 * 3_600_000;

test("the content of a mail outlives every attempt to send it, whatever the setting", () => {
  const daysOf = (days: number) => {
    try {
      return [loadConfig({ EMAIL_RETENTION_DAYS: String(days) }, "/nowhere/.env").config.emailRetentionDays];
    } catch {
      return [];
    }
  };
  const taken = [1, 2, 3, 4, 5, 30].flatMap(daysOf);
  assert.deepEqual(taken.slice(-2), [5, 30]);
  for (const { table, keepMs } of taken.flatMap(emailPartitions))
    assert.ok(keepMs > RETRIED_FOR_MS, `${table} is kept for ${keepMs} ms`);
});
