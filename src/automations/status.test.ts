import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allowedActions, STATUSES, type Status } from "./status.ts";

/** What may be done in each status, spelt out apart from the code. */
const ALLOWED: Readonly<Record<Status, string>> = {
  draft: "update delete publish start archive duplicate",
  live: "update publish pause drain cancel archive duplicate",
  paused: "update publish resume cancel archive duplicate",
  draining: "update publish resume cancel archive duplicate",
  archived: "delete duplicate",
};

describe("the status of an automation", () => {
  for (const status of STATUSES)
    it(`allows these actions and no others when it is ${status}`, () => {
      assert.equal(allowedActions(status, false).join(" "), ALLOWED[status]);
    });

  it("allows nobody to archive one with people inside", () => {
    for (const status of STATUSES) assert.ok(!allowedActions(status, true).includes("archive"));
  });
});
