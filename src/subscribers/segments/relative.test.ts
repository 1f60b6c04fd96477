import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRelative } from "./relative.ts";
import type { Rule } from "./rules.ts";

const TAGGED: Rule = { field: "tag", op: "has", value: "vip" };
const RECENT: Rule = { field: "created_at", op: "in_last_days", value: 3 };

describe("a rule", () => {
  it("is relative where time alone, or what happens to others, may change who matches", () => {
    const relative: Rule[] = [
      RECENT,
      { field: "created_at", op: "not_in_last_days", value: 3 },
      { field: "field:00000000-0000-0000-0000-000000000000", op: "in_next_days", value: 3 },
      { field: "opened", op: "not_in_last_days", value: 90 },
      { field: "clicked", op: "none_of_last", value: 5 },
      { field: "opened", op: "campaign", value: "00000000-0000-0000-0000-000000000000", machines: true },
      { field: "sent", op: "campaign", value: "00000000-0000-0000-0000-000000000000" },
      { field: "event", op: "did", value: { name: "order.placed" } },
      { field: "event", op: "did_not", value: { name: "order.placed", days: 30 } },
      { field: "list", op: "is_not", value: "00000000-0000-0000-0000-000000000000" },
      { field: "dormancy", op: "is", value: "warned" },
      { all: [TAGGED, { any: [TAGGED, { not: RECENT }] }] },
    ];
    for (const rule of relative) assert.equal(isRelative(rule), true, JSON.stringify(rule));
  });

  it("is not where an event tells of every change", () => {
    const others: Rule[] = [
      TAGGED,
      { field: "status", op: "is", value: "active" },
      { field: "created_at", op: "after", value: "2026-01-01" },
      { field: "first_name", op: "is_set" },
      { field: "clicked", op: "campaign", value: "00000000-0000-0000-0000-000000000000" },
      { not: { any: [TAGGED, { field: "email", op: "ends_with", value: "@example.com" }] } },
    ];
    for (const rule of others) assert.equal(isRelative(rule), false, JSON.stringify(rule));
  });
});
