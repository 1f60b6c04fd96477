import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Action,
  actionOfSuppression,
  type Circumstances,
  firstStatus,
  graverStatus,
  nextStatus,
  STATUSES,
  type Status,
} from "./status.ts";

/** Says what an outcome comes to, in the words of the table. */
function say(status: Status, action: Action, circumstances?: Circumstances): string {
  const outcome = nextStatus(status, action, circumstances);
  if (outcome.kind === "unchanged") return "–";
  if (outcome.kind === "becomes") return outcome.status;
  return outcome.kind === "refused" ? "409" : "mail again";
}

describe("what follows from what", () => {
  const actions = ["confirm", "unsubscribe", "bounce", "complain"] as const;
  // This is the contract's table, row by row.
  const table: Record<Status, readonly string[]> = {
    pending: ["active", "unsubscribed", "bounced", "complained"],
    active: ["–", "unsubscribed", "bounced", "complained"],
    unsubscribed: ["active", "–", "–", "complained"],
    bounced: ["active", "unsubscribed", "–", "complained"],
    complained: ["active", "–", "–", "–"],
  };
  for (const status of STATUSES) {
    for (const [column, action] of actions.entries()) {
      it(`${status} + ${action} is ${table[status][column]}`, () => {
        assert.equal(say(status, action), table[status][column]);
      });
    }
  }
});

describe("resubscribing", () => {
  const plain = {};
  const attested = { attested: true };
  const suppressed = { suppressed: true };
  const both = { attested: true, suppressed: true };
  const table: [Status, string, string, string, string][] = [
    // The columns are: without evidence, attested, suppressed, attested but suppressed.
    ["pending", "mail again", "mail again", "mail again", "mail again"],
    ["active", "409", "409", "409", "409"],
    ["unsubscribed", "pending", "active", "pending", "active"],
    ["bounced", "pending", "active", "409", "409"],
    ["complained", "409", "409", "409", "409"],
  ];
  for (const [status, ...expected] of table) {
    it(`from ${status} is ${expected.join(", ")}`, () => {
      const got = [plain, attested, suppressed, both].map((one) => say(status, "resubscribe", one));
      assert.deepEqual(got, expected);
    });
  }

  it("says why when it is refused", () => {
    for (const status of ["active", "complained", "bounced"] as const) {
      const outcome = nextStatus(status, "resubscribe", suppressed);
      assert.ok(outcome.kind === "refused" && outcome.why.length > 10, status);
    }
  });
});

describe("how a newcomer begins", () => {
  const reasons = [undefined, "manual", "erased", "soft_bounces", "hard_bounce", "complaint"];
  const table: [boolean, boolean, ...Status[]][] = [
    // The columns are: opted out before, double opt-in, then the status by the reason of a suppression.
    [false, false, "active", "active", "active", "bounced", "bounced", "complained"],
    [false, true, "pending", "pending", "pending", "bounced", "bounced", "complained"],
    [true, false, ...repeat("unsubscribed", 5), "complained"],
    [true, true, ...repeat("unsubscribed", 5), "complained"],
  ];
  for (const [isOptedOut, doubleOptIn, ...expected] of table) {
    const past = isOptedOut ? "opted out before" : "never opted out";
    it(`${past}, ${doubleOptIn ? "double" : "single"} opt-in: ${expected.join(", ")}`, () => {
      const got = reasons.map((suppressedFor) => firstStatus({ suppressedFor, isOptedOut }, doubleOptIn));
      assert.deepEqual(got, expected);
    });
  }

  it("only bounces and complaints touch the status", () => {
    const actions = reasons.map((reason) => actionOfSuppression(reason ?? ""));
    assert.deepEqual(actions, [undefined, undefined, undefined, "bounce", "bounce", "complain"]);
  });
});

describe("the graver of two statuses", () => {
  const byGravity: Status[] = ["active", "pending", "bounced", "unsubscribed", "complained"];
  it("is the same either way round, and never one that mails more", () => {
    for (const [i, a] of byGravity.entries()) {
      for (const [j, b] of byGravity.entries()) {
        assert.equal(graverStatus(a, b), byGravity[Math.max(i, j)], `${a} and ${b}`);
      }
    }
  });

  it("knows every status", () => assert.deepEqual(byGravity.toSorted(), [...STATUSES].toSorted()));
});

function repeat(status: Status, times: number): Status[] {
  return Array.from({ length: times }, () => status);
}
