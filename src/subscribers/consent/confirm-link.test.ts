import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Status } from "../status.ts";
import { type ConfirmState, stateOfConfirmation } from "./confirm-link.ts";

const DAY = 24 * 3_600_000;
const NOW = new Date("2026-11-16T12:00:00Z");

describe("what a confirmation link is good for", () => {
  const state = (status: Status, { days = 1, suppressedFor = "", moved = false, leftDays = 0 } = {}) =>
    stateOfConfirmation(
      {
        status,
        contactId: moved ? "another" : "contact",
        confirmation: { contact_id: "contact", requested_at: new Date(NOW.getTime() - days * DAY) },
        unsubscribedAt: leftDays > 0 ? new Date(NOW.getTime() - leftDays * DAY) : null,
        suppressedFor: suppressedFor || undefined,
      },
      NOW,
    );
  const cases: [string, string, ConfirmState][] = [
    ["a pending subscriber can confirm", state("pending"), "waiting"],
    ["for 30 days", state("pending", { days: 30 }), "waiting"],
    ["and no longer", state("pending", { days: 30.01 }), "expired"],
    ["who is active has confirmed, however old the link", state("active", { days: 400 }), "confirmed"],
    ["who has left stays away", state("unsubscribed"), "left"],
    ["who signed up again after leaving can confirm", state("pending", { leftDays: 2 }), "waiting"],
    ["but not by the mail from before", state("pending", { days: 3, leftDays: 2 }), "left"],
    ["who complained stays away", state("complained", { suppressedFor: "complaint" }), "left"],
    ["a bounce is disproved by who answers", state("bounced", { suppressedFor: "hard_bounce" }), "waiting"],
    ["a suppression by hand stands", state("pending", { suppressedFor: "manual" }), "suppressed"],
    ["an erasure stands", state("pending", { suppressedFor: "erased" }), "suppressed"],
    ["a complaint elsewhere stands", state("pending", { suppressedFor: "complaint" }), "suppressed"],
    ["another address was never asked", state("pending", { moved: true }), "expired"],
    ["not even when it is active", state("active", { moved: true }), "expired"],
  ];
  for (const [what, found, expected] of cases) it(what, () => assert.equal(found, expected));
});
