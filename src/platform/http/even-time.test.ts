import assert from "node:assert/strict";
import { test } from "node:test";
import { waitMs } from "./even-time.ts";

test("an answer goes out at the next mark, however long it took", () => {
  for (const elapsed of [0, 0.4, 3.7, 24.9, 25, 34.5, 1_000.1]) {
    const sent = elapsed + waitMs(elapsed);
    assert.ok(sent > elapsed && sent >= 50 && sent - elapsed <= 50, String(elapsed));
    assert.ok(Math.abs(sent / 25 - Math.round(sent / 25)) < 1e-9, String(elapsed));
  }
});
