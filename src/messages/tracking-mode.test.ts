import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { trackingOf } from "./message.ts";
import type { SenderDefaults } from "./sender-defaults.ts";
import { isTrackedInPerson, type TrackingMode, trackingModeOf } from "./tracking-mode.ts";

type Choice = TrackingMode | null;

/** The list's choice, the account's, and what holds. */
const choices: readonly [Choice, Choice, TrackingMode][] = [
  [null, null, "individual"],
  [null, "aggregate", "aggregate"],
  ["consented", null, "consented"],
  ["individual", "off", "individual"],
  ["off", "individual", "off"],
];

/** The mode, and whether those are tracked in person who agreed, refused, and were never asked. */
const people: readonly [TrackingMode, boolean, boolean, boolean][] = [
  ["individual", true, false, true],
  ["consented", true, false, false],
  ["aggregate", false, false, false],
  ["off", false, false, false],
];

describe("the mode of tracking", () => {
  for (const [list, account, mode] of choices) {
    it(`is ${mode} where the list says ${list} and the account ${account}`, () => {
      const defaults = { list: { tracking: list }, account: { tracking: account } } as SenderDefaults;
      assert.equal(trackingModeOf(defaults), mode);
    });
  }

  it("is individual where list and account are gone", () => {
    assert.equal(trackingModeOf({ list: undefined, account: undefined }), "individual");
  });

  for (const [mode, agreed, refused, unasked] of people) {
    it(`${mode} says who is tracked in person`, () => {
      const answers = [true, false, null].map((consent) => isTrackedInPerson(mode, consent));
      assert.deepEqual(answers, [agreed, refused, unasked]);
    });
  }

  it("forbids what the message asks for, and never the other way round", () => {
    const served = { opens: true, clicks: true };
    const message = { tracking: { opens: true, clicks: false } } as Parameters<typeof trackingOf>[0];
    assert.deepEqual(trackingOf(message, served, "individual"), { opens: true, clicks: false });
    assert.deepEqual(trackingOf(message, served, "aggregate"), { opens: true, clicks: false });
    assert.deepEqual(trackingOf(message, served, "off"), { opens: false, clicks: false });
  });
});
