import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Evidence } from "../ledger/source-store.ts";
import type { Outcome } from "../transports/transport.ts";
import { refusalIn } from "./refusal-rules.ts";
import { createRefusals, type Judging, type Verdict } from "./refusals.ts";

const accepted: Outcome = { kind: "accepted", code: 250, text: "250 ok" };
const refused = (
  phase: "auth" | "mail" | "rcpt" | "data" | "dot",
  code: number,
  enhanced: string | null,
  text = "no",
): Outcome => ({
  kind: "rejected",
  phase,
  code,
  enhanced,
  text: [code, enhanced, text].filter(Boolean).join(" "),
});
const password = refused("auth", 535, "5.7.8");
const sender = refused("mail", 553, "5.1.8");
const policy = refused("rcpt", 554, "5.7.1", "blocked by policy");
const relaying = refused("rcpt", 554, "5.7.1", "relaying denied");
const unknown = refused("rcpt", 550, "5.1.1");
const unavailable = refused("rcpt", 550, null, "Requested action not taken: mailbox unavailable");
const german = refused("rcpt", 550, null, "Absenderadresse unbekannt");
const unrouteable = refused("rcpt", 550, null, "Unrouteable address");
const suspended = refused("rcpt", 550, null, "Your account has been suspended");

describe("refusals", () => {
  const cases: readonly [string, Outcome, string][] = [
    ["a wrong password", password, "us"],
    ["a sender that isn't ours", sender, "us"],
    ["no relaying", relaying, "either"],
    ["a policy", policy, "either"],
    ["a policy after the body", refused("dot", 550, "5.7.26"), "either"],
    ["nobody of that name", unknown, "message"],
    ["a message too large, said at MAIL", refused("mail", 552, "5.3.4"), "either"],
    [
      "what the client refuses itself",
      { kind: "rejected", phase: "mail", code: null, enhanced: "5.6.7", text: "no" },
      "nobody",
    ],
    ["an acceptance", accepted, "nobody"],
    ["a deferral", { kind: "deferred", phase: "rcpt", code: 451, enhanced: null, text: "later" }, "nobody"],
    ["a lost connection", { kind: "unreachable", phase: "mail", text: "lost" }, "nobody"],
  ];
  for (const [name, outcome, whom] of cases) {
    test(`${name} is about ${whom}`, () => assert.equal(refusalIn(outcome)?.about ?? "nobody", whom));
  }

  /** Sets up a source that was sent to nobody yet, and that has others to come. */
  function setUp(t: TestContext, more: Partial<Evidence> = {}) {
    t.mock.timers.enable({ apis: ["setInterval"] });
    let nowMs = 0;
    let evidence: Evidence | undefined = { isRunning: true, hasSent: false, hasMore: true, ...more };
    const refusals = createRefusals({
      monotonicMs: () => nowMs,
      evidenceOf: async () => {
        if (!evidence) throw new Error("the database is away");
        return evidence;
      },
    });
    const judging = refusals.of("account", "one");
    return {
      refusals,
      judging,
      setEvidence: (next: Partial<Evidence> | undefined) => {
        evidence = next && { isRunning: true, hasSent: false, hasMore: false, ...next };
      },
      /** Lets time pass in steps of a quarter of a second, with one look at each and time for what it reads. */
      async pass(ms: number) {
        for (const until = nowMs + ms; nowMs < until; ) {
          nowMs += 250;
          t.mock.timers.tick(250);
          await untilOthersRan();
        }
      },
    };
  }

  /** Judges all outcomes at once; the verdicts appear in the order of asking as they are decided. */
  function judgeAll(
    judging: Judging,
    outcomes: readonly Outcome[],
    more: { domains?: number; beganMs?: number } = {},
  ) {
    const { domains = 5, beganMs = 0 } = more;
    const verdicts: (Verdict | undefined)[] = outcomes.map(() => undefined);
    for (const [at, outcome] of outcomes.entries()) {
      void Promise.resolve(judging.judge({ outcome, domain: `d${at % domains}`, beganMs })).then(
        (verdict) => {
          verdicts[at] = verdict;
        },
      );
    }
    return verdicts;
  }
  /** Begins a message and returns what says that its answer has come. */
  function begin(judging: Judging): () => void {
    judging.begin();
    return judging.transmit();
  }
  const untilOthersRan = () => new Promise((resolve) => setImmediate(resolve));
  const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
  const allUs = (count: number) => [...times(count - 1, "us"), "enough"];

  test("twenty in a row are enough, and none of them is about its message", async (t) => {
    const verdicts = judgeAll(setUp(t).judging, times(20, policy));
    await untilOthersRan();
    assert.deepEqual(verdicts, allUs(20));
  });

  test("refusals that come sooner than the answers to messages before them are no run", async (t) => {
    const { judging, pass } = setUp(t);
    const [first, second] = [begin(judging), begin(judging)];
    await pass(1_000);
    const verdicts = judgeAll(judging, times(40, unknown));
    await pass(4_500);
    assert.deepEqual(verdicts, times(40, undefined));
    first();
    judgeAll(judging, [accepted]);
    second();
    const later = judgeAll(judging, times(19, unknown));
    await pass(1_000);
    assert.deepEqual([...verdicts, ...later], times(59, undefined));
    judgeAll(judging, [accepted], { beganMs: 6_500 });
    await untilOthersRan();
    assert.deepEqual([...verdicts, ...later], times(59, "message"));
  });

  test("a run is about us once the messages before it are refused too, whatever began since", async (t) => {
    const { judging } = setUp(t);
    const before = begin(judging);
    const verdicts = judgeAll(judging, times(20, unknown));
    begin(judging);
    await untilOthersRan();
    assert.deepEqual(verdicts, times(20, undefined));
    before();
    const last = judgeAll(judging, [unknown]);
    await untilOthersRan();
    assert.deepEqual([...verdicts, ...last], allUs(21));
  });

  for (const [name, outcome] of [
    ["about its message", unknown],
    ["about us", password],
  ] as const)
    test(`a run of refusals ${name} waits five seconds for a message that hangs, and no longer`, async (t) => {
      const { judging, pass } = setUp(t);
      begin(judging);
      const verdicts = judgeAll(judging, times(20, outcome));
      await pass(4_750);
      assert.ok(!verdicts.includes("enough"));
      await pass(250);
      const last = judgeAll(judging, [outcome]);
      await untilOthersRan();
      assert.ok([...verdicts, ...last].includes("enough"));
    });

  test("one that is taken among them shows that the others were about their messages", async (t) => {
    const verdicts = judgeAll(setUp(t).judging, [policy, unknown, accepted, policy]);
    await untilOthersRan();
    assert.deepEqual(verdicts, ["message", "message", "message", undefined]);
  });

  test("one that was on its way already when another was refused shows nothing", async (t) => {
    const { judging, pass } = setUp(t);
    await pass(1_000);
    const verdicts = judgeAll(judging, [unknown, policy]);
    judgeAll(judging, [accepted], { beganMs: 999 });
    await untilOthersRan();
    assert.deepEqual(verdicts, [undefined, undefined]);
    judgeAll(judging, [accepted], { beganMs: 1_000 });
    await untilOthersRan();
    assert.deepEqual(verdicts, ["message", "message"]);
  });

  test("one that is taken shows nothing about relaying to another domain, but twenty domains do", async (t) => {
    const { judging } = setUp(t);
    const told = (domain: string, outcome: Outcome) => judging.judge({ outcome, domain, beganMs: 0 });
    const verdicts: [string, Verdict][] = [];
    const wait = (name: string, domain: string, outcome: Outcome) =>
      void Promise.resolve(told(domain, outcome)).then((verdict) => verdicts.push([name, verdict]));
    wait("far", "far.example", relaying);
    wait("own", "own.example", relaying);
    wait("policy", "far.example", policy);
    told("own.example", accepted);
    await untilOthersRan();
    assert.deepEqual(verdicts.sort(), [
      ["own", "message"],
      ["policy", "message"],
    ]);
    for (let n = 0; n < 19; n++) told(`d${n}.example`, accepted);
    await untilOthersRan();
    assert.deepEqual(verdicts.at(-1), ["far", "message"]);
  });

  test("a server that takes mail for its own domain and relays to no other refuses us", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false });
    const told = [relaying, accepted, relaying, accepted, relaying];
    const verdicts: (Verdict | undefined)[] = told.map(() => undefined);
    for (const [at, outcome] of told.entries()) {
      const domain = outcome === accepted ? "own.example" : `d${at}.example`;
      void Promise.resolve(judging.judge({ outcome, domain, beganMs: 0 })).then((verdict) => {
        verdicts[at] = verdict;
      });
    }
    await pass(500);
    assert.deepEqual(verdicts, ["us", "message", "us", "message", "enough"]);
  });

  test("one whose user is unknown shows nothing of the kind", async (t) => {
    const verdicts = judgeAll(setUp(t).judging, [policy, unknown, policy]);
    await untilOthersRan();
    assert.deepEqual(verdicts, times(3, undefined));
  });

  test("not let in at all, each goes back at once, and the twentieth is enough", async (t) => {
    const verdicts = judgeAll(setUp(t).judging, times(21, password));
    await untilOthersRan();
    assert.deepEqual(verdicts.slice(18), ["us", "enough", "us"]);
  });

  test("those that were on their way go back too; later ones are counted anew", async (t) => {
    const { judging, pass } = setUp(t);
    const verdicts = judgeAll(judging, times(24, policy));
    await untilOthersRan();
    assert.deepEqual(verdicts.slice(18), ["us", "enough", "us", "us", "us", "us"]);
    await pass(2_000);
    const later = judgeAll(judging, [unknown, policy]);
    await untilOthersRan();
    assert.deepEqual(later, [undefined, undefined]);
  });

  test("what it takes of another source says nothing about this one", async (t) => {
    const { refusals } = setUp(t);
    const verdicts: Verdict[] = [];
    const told = { domain: "d", beganMs: 0 };
    for (let n = 0; n < 20; n++) {
      verdicts.push(await refusals.of("account", "one").judge({ outcome: sender, ...told }));
      await refusals.of("account", "another").judge({ outcome: accepted, ...told });
    }
    assert.equal(verdicts.at(-1), "enough");
  });

  const runs: readonly [string, Outcome][] = [
    ["unknown users", unknown],
    ["full mailboxes", refused("rcpt", 552, "5.2.2", "mailbox full")],
    ["unavailable mailboxes", unavailable],
    ["refusals of the sender in German", german],
    ["suspended accounts", suspended],
  ];
  for (const [name, outcome] of runs) {
    for (const domains of [1, 2, 50]) {
      test(`a hundred taken, then ${name} alone, on ${domains} domains: it is about us`, async (t) => {
        const { judging, pass } = setUp(t, { hasSent: true });
        judgeAll(judging, times(100, accepted), { domains });
        await pass(1_000);
        const verdicts = judgeAll(judging, times(20, outcome), { domains, beganMs: 500 });
        await untilOthersRan();
        assert.deepEqual(verdicts, allUs(20));
      });
    }
  }

  for (const [name, outcome] of [...runs, ["addresses without a route", unrouteable] as const]) {
    test(`nobody ever taken, then ${name} alone to a small list: it is about us`, async (t) => {
      const { judging, pass } = setUp(t, { hasMore: false });
      const verdicts = judgeAll(judging, times(15, outcome), { domains: 15 });
      await pass(500);
      assert.deepEqual(verdicts, allUs(15));
    });
  }

  test("so many at once that others, on their way already, were taken between them are no run", async (t) => {
    const { judging, pass } = setUp(t);
    await pass(1_000);
    const wave = Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? unknown : accepted));
    const verdicts = judgeAll(judging, wave);
    await untilOthersRan();
    assert.deepEqual(new Set(verdicts.filter((_, n) => n % 3 === 0)), new Set([undefined]));
    judgeAll(judging, [accepted], { beganMs: 1_000 });
    await untilOthersRan();
    assert.deepEqual(verdicts, times(100, "message"));
  });

  test("with one taken among forty unknown users, they are unknown", async (t) => {
    const { judging, setEvidence } = setUp(t);
    const some = times(19, unknown);
    const verdicts = judgeAll(judging, [...some, accepted, ...some, accepted]);
    setEvidence({ hasSent: true });
    await untilOthersRan();
    assert.deepEqual(verdicts, times(40, "message"));
  });

  test("what may come of the same source is waited for: on its way for long, not leased yet for half a minute", async (t) => {
    const { judging, pass, setEvidence } = setUp(t);
    judging.begin();
    const verdicts = judgeAll(judging, [policy]);
    await pass(120_000);
    assert.deepEqual(verdicts, [undefined]);
    judging.end();
    await pass(29_000);
    assert.deepEqual(verdicts, [undefined]);
    setEvidence({ hasMore: false });
    await pass(500);
    assert.deepEqual(verdicts, ["unsettled"]);
  });

  test("but not for ever", async (t) => {
    const { judging, pass } = setUp(t);
    judging.begin();
    const verdicts = judgeAll(judging, [policy]);
    await pass(300_000);
    assert.deepEqual(verdicts, ["unsettled"]);
  });

  test("two refused, nobody ever taken, and nothing more to come: it is about us", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false });
    const verdicts = judgeAll(judging, [policy, unknown, policy]);
    await pass(500);
    assert.deepEqual(verdicts, ["us", "us", "enough"]);
  });

  test("the last two of a source that others were sent stay unsettled", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false, hasSent: true });
    const verdicts = judgeAll(judging, [policy, unknown, policy]);
    await pass(500);
    assert.deepEqual(verdicts, times(3, "unsettled"));
  });

  test("the last unknown users of a list are believed where as many were taken, and they are surely meant", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false });
    judgeAll(judging, times(5, accepted));
    await pass(1_000);
    const verdicts = judgeAll(judging, [unknown, german, unavailable, unknown]);
    await pass(500);
    assert.deepEqual(verdicts, ["message", "unsettled", "unsettled", "message"]);
    const more = judgeAll(judging, times(2, unknown));
    await pass(500);
    assert.deepEqual(more, times(2, "unsettled"));
  });

  test("of those that another sender's acceptances stand for, two are believed", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false, hasSent: true });
    const two = judgeAll(judging, times(2, unknown));
    await pass(500);
    assert.deepEqual(two, times(2, "message"));
    const third = judgeAll(judging, [unknown]);
    await pass(500);
    assert.deepEqual(third, ["unsettled"]);
  });

  test("a single one of whom nothing else can tell is not believed", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false });
    const verdicts = judgeAll(judging, [unknown]);
    await pass(500);
    assert.deepEqual(verdicts, ["unsettled"]);
  });

  test("refused one by one, each settled by itself, they are counted all the same", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false, hasSent: true });
    judgeAll(judging, [accepted]);
    const verdicts: (Verdict | undefined)[] = [];
    for (let n = 0; n < 20; n++) {
      const told = judgeAll(judging, [unknown]);
      await pass(60_000);
      verdicts.push(...told);
    }
    assert.deepEqual(verdicts, [...times(2, "message"), ...times(17, "unsettled"), "enough"]);
  });

  for (const [name, taken, outcome] of [
    ["five taken, then the address blocked", 5, policy],
    ["nobody ever taken, every user unknown", 0, unknown],
  ] as const) {
    test(`refused slowly, ${name}: after five minutes it is about us, however few they are`, async (t) => {
      const { judging, pass } = setUp(t, { hasSent: taken > 0 });
      judgeAll(judging, times(taken, accepted));
      judging.begin();
      const verdicts: (Verdict | undefined)[][] = [];
      for (let n = 0; n < 16; n++) {
        await pass(20_000);
        verdicts.push(judgeAll(judging, [outcome]));
      }
      await untilOthersRan();
      assert.deepEqual(verdicts.flat(), [...times(14, "us"), "enough", "us"]);
    });
  }

  test("given up and resumed unmended, what is left isn't believed for those taken before", async (t) => {
    const { judging, pass } = setUp(t, { hasMore: false, hasSent: true });
    judgeAll(judging, [...times(50, accepted), ...times(20, unknown)]);
    await pass(5_000);
    const verdicts = judgeAll(judging, times(2, unknown));
    await pass(500);
    assert.deepEqual(verdicts, allUs(2));
  });

  test("one that is denied for long doesn't hurry those who were refused just now", async (t) => {
    const { judging, pass } = setUp(t, { hasSent: true });
    judging.begin();
    const verdicts = judgeAll(judging, [relaying]);
    await pass(299_500);
    judging.judge({ outcome: accepted, domain: "other", beganMs: 299_000 });
    const late = judgeAll(judging, [unknown, unknown]);
    await pass(1_000);
    assert.deepEqual([...verdicts, ...late], times(3, undefined));
    judging.judge({ outcome: accepted, domain: "other", beganMs: 300_000 });
    await pass(1_000);
    assert.deepEqual([...verdicts, ...late], ["unsettled", "message", "message"]);
  });

  test("paused or stopped before it is settled, nothing was tried", async (t) => {
    const { judging, refusals, pass, setEvidence } = setUp(t);
    const paused = judgeAll(judging, [policy, unknown]);
    setEvidence({ isRunning: false });
    await pass(500);
    assert.deepEqual(paused, ["us", "us"]);
    const stopped = judgeAll(judging, [policy, unknown]);
    refusals.close();
    const late = judgeAll(judging, [policy, unknown, accepted]);
    await untilOthersRan();
    assert.deepEqual([...stopped, ...late], ["us", "us", "us", "us", "message"]);
  });

  test("with the database away it waits, and nobody is refused for that", async (t) => {
    const { judging, pass, setEvidence } = setUp(t);
    setEvidence(undefined);
    const verdicts = judgeAll(judging, times(15, unknown));
    await pass(60_000);
    assert.deepEqual(verdicts, times(15, undefined));
    setEvidence({ hasSent: false });
    await pass(250);
    assert.deepEqual(verdicts, allUs(15));
  });
});
