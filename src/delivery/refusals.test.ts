import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRefusals, type Verdict, whomItRefuses } from "./refusals.ts";
import type { Outcome } from "./transport.ts";

const accepted: Outcome = { kind: "accepted", code: 250, text: "250 ok" };
const refused = (
  phase: "auth" | "mail" | "rcpt" | "data" | "dot",
  code: number,
  enhanced: string | null,
): Outcome => ({
  kind: "rejected",
  phase,
  code,
  enhanced,
  text: "no",
});

describe("refusals", () => {
  const cases: readonly [string, Outcome, ReturnType<typeof whomItRefuses>][] = [
    ["a wrong password", refused("auth", 535, "5.7.8"), "us"],
    ["a sender that isn't ours", refused("mail", 553, "5.1.8"), "us"],
    ["no relaying", refused("rcpt", 554, "5.7.1"), "either"],
    ["a policy after the body", refused("dot", 550, "5.7.26"), "either"],
    ["nobody of that name", refused("rcpt", 550, "5.1.1"), "message"],
    ["a message too large, said at MAIL", refused("mail", 552, "5.3.4"), "message"],
    ["an acceptance", accepted, "message"],
    ["a deferral", { kind: "deferred", phase: "rcpt", code: 451, enhanced: null, text: "later" }, "nobody"],
    ["a lost connection", { kind: "unreachable", phase: "mail", text: "lost" }, "nobody"],
  ];
  for (const [name, outcome, whom] of cases) {
    test(`${name} is about ${whom}`, () => assert.equal(whomItRefuses(outcome), whom));
  }

  /** What was decided so far, in the order of asking. */
  function judgeAll(refusals: ReturnType<typeof createRefusals>, outcomes: readonly Outcome[]) {
    const verdicts: (Verdict | undefined)[] = outcomes.map(() => undefined);
    for (const [at, outcome] of outcomes.entries()) {
      void Promise.resolve(refusals.judge("one", outcome)).then((verdict) => {
        verdicts[at] = verdict;
      });
    }
    return verdicts;
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const policy = refused("rcpt", 554, "5.7.1");

  test("twenty in a row are enough, and none of them is about its message", async () => {
    const verdicts = judgeAll(
      createRefusals(
        () => false,
        () => 0,
      ),
      Array.from({ length: 20 }, () => policy),
    );
    await turn();
    assert.deepEqual(verdicts, [...Array.from({ length: 19 }, () => "us"), "enough"]);
  });

  test("one that is taken among them shows that the others were about their messages", async () => {
    const verdicts = judgeAll(
      createRefusals(
        () => false,
        () => 0,
      ),
      [policy, policy, accepted, policy],
    );
    await turn();
    assert.deepEqual(verdicts, ["message", "message", "message", undefined]);
  });

  test("not let in at all, each goes back at once, and the twentieth is enough", async () => {
    const password = refused("auth", 535, "5.7.8");
    const verdicts = judgeAll(
      createRefusals(
        () => false,
        () => 0,
      ),
      Array.from({ length: 21 }, () => password),
    );
    await turn();
    assert.deepEqual(verdicts.slice(18), ["us", "enough", "enough"]);
  });

  test("what it still refuses after that is about us too, until it takes one", async () => {
    const many = Array.from({ length: 24 }, () => policy);
    const verdicts = judgeAll(
      createRefusals(
        () => true,
        () => 0,
      ),
      [...many, accepted, policy],
    );
    await turn();
    assert.deepEqual(verdicts.slice(19, 25), ["enough", "enough", "enough", "enough", "enough", "message"]);
    assert.equal(verdicts[25], undefined);
  });

  test("what it takes of another source says nothing about this one", async () => {
    const refusals = createRefusals(
      () => false,
      () => 0,
    );
    const sender = refused("mail", 553, "5.1.8");
    const verdicts: Verdict[] = [];
    for (let n = 0; n < 20; n++) {
      verdicts.push(await refusals.judge("one", sender));
      await refusals.judge("another", accepted);
    }
    assert.equal(verdicts.at(-1), "enough");
  });

  test("with nothing more to come, the few were about their messages", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const verdicts = judgeAll(
      createRefusals(
        () => true,
        () => 0,
      ),
      [policy, policy],
    );
    await Promise.resolve();
    t.mock.timers.tick(1_000);
    await turn();
    assert.deepEqual(verdicts, ["message", "message"]);
  });
});
