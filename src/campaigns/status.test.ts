import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Action,
  afterEnd,
  allowedActions,
  isEditable,
  nextState,
  type State,
  type Transition,
} from "./status.ts";

const base: State = {
  status: "draft",
  pausedFrom: null,
  scheduledFrom: null,
  hasSent: false,
  isAgreed: false,
};
const states = {
  draft: base,
  "scheduled, from draft": { ...base, status: "scheduled", scheduledFrom: "draft" },
  "scheduled, from failed": { ...base, status: "scheduled", scheduledFrom: "failed" },
  sending: { ...base, status: "sending" },
  "paused, from scheduled": {
    ...base,
    status: "paused",
    pausedFrom: "scheduled",
    scheduledFrom: "draft",
  },
  "paused, from a schedule made when failed": {
    ...base,
    status: "paused",
    pausedFrom: "scheduled",
    scheduledFrom: "failed",
  },
  "paused, from sending": { ...base, status: "paused", pausedFrom: "sending" },
  failed: { ...base, status: "failed" },
  sent: { ...base, status: "sent", hasSent: true },
  canceled: { ...base, status: "canceled" },
} satisfies Record<string, State>;

const transitions: readonly Transition[] = ["send", "schedule", "unschedule", "pause", "resume", "cancel"];

/** As the contract prints it, a column a transition; "-" is refused. */
const table: Record<keyof typeof states, string> = {
  draft: "sending scheduled - - - -",
  "scheduled, from draft": "sending scheduled draft paused - draft",
  "scheduled, from failed": "sending scheduled failed paused - failed",
  sending: "- - - paused - canceled",
  "paused, from scheduled": "sending scheduled draft - scheduled -",
  "paused, from a schedule made when failed": "sending scheduled failed - scheduled -",
  "paused, from sending": "- - - - sending canceled",
  failed: "sending scheduled - - - canceled",
  sent: "- - - - - -",
  canceled: "- - - - - -",
};

for (const [name, state] of Object.entries(states)) {
  describe(`a campaign that is ${name}`, () => {
    const row = table[name as keyof typeof states].split(" ");
    for (const [at, transition] of transitions.entries()) {
      it(`${row[at] === "-" ? "refuses" : `becomes ${row[at]} by`} ${transition}`, () => {
        assert.equal(nextState(state, transition)?.status ?? "-", row[at]);
      });
    }

    it("names as allowed exactly what isn't refused", () => {
      const expected = transitions.filter((_, at) => row[at] !== "-");
      const allowed = allowedActions(state, true).filter((action) =>
        (transitions as Action[]).includes(action),
      );
      assert.deepEqual(allowed, expected);
    });
  });
}

describe("what a move keeps", () => {
  it("a schedule knows where it came from, through changes of its time and a pause", () => {
    const scheduled = nextState(states.failed, "schedule");
    assert.ok(scheduled);
    const again = nextState(scheduled, "schedule");
    assert.ok(again);
    const paused = nextState(again, "pause");
    assert.ok(paused);
    const resumed = nextState(paused, "resume");
    assert.ok(resumed);
    assert.equal(nextState(resumed, "unschedule")?.status, "failed");
    assert.equal(nextState(paused, "unschedule")?.status, "failed");
  });

  it("a pause knows what was paused, and its end forgets it", () => {
    assert.equal(nextState(states.sending, "pause")?.pausedFrom, "sending");
    assert.equal(nextState(states["scheduled, from draft"], "pause")?.pausedFrom, "scheduled");
    assert.equal(nextState(states["paused, from sending"], "resume")?.pausedFrom, null);
  });
});

describe("editing", () => {
  const open = Object.entries(states).filter(([, state]) => isEditable(state));
  it("is open before the start and after a failure with nothing sent", () => {
    assert.deepEqual(
      open.map(([name]) => name),
      [
        "draft",
        "scheduled, from draft",
        "scheduled, from failed",
        "paused, from scheduled",
        "paused, from a schedule made when failed",
        "failed",
      ],
    );
  });

  it("is closed once mail has left, also while a second try is scheduled", () => {
    for (const [, state] of open) assert.equal(isEditable({ ...state, hasSent: true }), false);
  });

  it("deleting is for drafts, and copying for all", () => {
    for (const [name, state] of Object.entries(states)) {
      assert.equal(allowedActions(state, true).includes("delete"), name === "draft", name);
      assert.ok(allowedActions(state, true).includes("duplicate"), name);
    }
  });
});

describe("the end of a source", () => {
  const ends = ["done", "no_recipients", "paused", "failed"] as const;
  const expected: Partial<Record<keyof typeof states, string>> = {
    sending: "sent failed paused failed",
    // Its last mail was on the wire when it was paused.
    "paused, from sending": "sent failed - failed",
  };
  for (const [name, state] of Object.entries(states)) {
    it(`moves one that is ${name} as it should, or not at all`, () => {
      const row = (expected[name as keyof typeof states] ?? "- - - -").split(" ");
      assert.deepEqual(
        ends.map((how) => afterEnd(state, how) ?? "-"),
        row,
      );
    });
  }
});
