import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../transports/transport.ts";
import { createDispatcher, type SendPermit } from "./dispatcher.ts";

const accepted: Outcome = { kind: "accepted", code: 250, text: "250 ok" };
const slowDown: Outcome = { kind: "deferred", phase: "rcpt", code: 451, enhanced: "4.7.1", text: "later" };
const busy: Outcome = { kind: "deferred", phase: "mail", code: 421, enhanced: null, text: "busy" };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Opens a dispatcher under the test's own clock, and records every permit that was asked for. */
function open(t: { after(work: () => void): void }, connections: number, rate?: { left: number }) {
  const time = { ms: 0 };
  const dispatcher = createDispatcher({
    connections,
    monotonicMs: () => time.ms,
    rate: rate && {
      take: () => rate.left-- > 0,
      draw: () => new Promise(() => undefined),
    },
  });
  t.after(() => dispatcher.close());
  const permits: { domain: string; permit: SendPermit; isLeft: boolean }[] = [];
  const begun = new Set<(typeof permits)[number]>();
  const near: string[] = [];
  const ask = (domain: string, times = 1, isUrgent = false) => {
    for (let n = 0; n < times; n++) {
      void dispatcher
        .acquire(domain, () => near.push(domain), isUrgent)
        .then((permit) => {
          const one = { domain, permit, isLeft: false };
          permits.push(one);
          if (permit.kind === "now") begun.add(one);
        });
    }
  };
  const onWire = (domain?: string) =>
    [...begun].filter((one) => !one.isLeft && (!domain || one.domain === domain));
  const end = (one: (typeof permits)[number] | undefined, outcome: Outcome) => {
    assert.ok(one?.permit.kind === "now");
    one.isLeft = true;
    begun.delete(one);
    one.permit.releaseConnection(outcome);
    one.permit.end();
  };
  return { dispatcher, time, permits, near, ask, onWire, end };
}

describe("the dispatcher", () => {
  test("begins as many messages as there are connections, and the next when one has ended", async (t) => {
    const { ask, onWire, end } = open(t, 4);
    for (let n = 0; n < 10; n++) ask(`d${n}.example`);
    await settled();
    assert.equal(onWire().length, 4);
    end(onWire()[0], accepted);
    await settled();
    assert.equal(onWire().length, 4);
  });

  test("begins an urgent message before all that wait, when the next connection is free", async (t) => {
    const { ask, onWire, end } = open(t, 2);
    for (let n = 0; n < 100; n++) ask(`d${n}.example`);
    await settled();
    ask("urgent.example", 1, true);
    await settled();
    assert.equal(onWire("urgent.example").length, 0);
    end(onWire()[0], accepted);
    await settled();
    assert.equal(onWire("urgent.example").length, 1);
  });

  test("gives urgent messages what is left of the rate, in the order in which they came", async (t) => {
    const rate = { left: 0 };
    const { dispatcher, ask, permits, time } = open(t, 20, rate);
    for (let n = 0; n < 50; n++) ask(`d${n}.example`);
    for (let n = 0; n < 3; n++) ask(`urgent${n}.example`, 1, true);
    await settled();
    assert.equal(permits.length, 0);
    rate.left = 3;
    time.ms += 300;
    ask("late.example");
    await settled();
    assert.deepEqual(
      permits.map(({ domain }) => domain),
      ["urgent0.example", "urgent1.example", "urgent2.example"],
    );
    assert.equal(dispatcher.isIdle(), false);
  });

  test("tells urgent messages never when it is closed, and counts them until then", async (t) => {
    const { dispatcher, ask, permits } = open(t, 1);
    ask("urgent.example", 500, true);
    await settled();
    assert.equal(permits.length, 1);
    let isShort = false;
    void dispatcher.untilShort(true).then(() => {
      isShort = true;
    });
    await settled();
    assert.equal(isShort, false);
    await dispatcher.untilShort();
    dispatcher.close();
    await settled();
    assert.equal(isShort, true);
    assert.equal(permits.filter(({ permit }) => permit.kind === "never").length, 499);
  });

  test("gives a domain one at first, a quarter while others wait, and beyond it one for each that was quick", async (t) => {
    const { ask, onWire, end } = open(t, 8);
    ask("big.example", 80);
    for (let n = 0; n < 12; n++) ask(`small${n}.example`);
    await settled();
    assert.equal(onWire().length, 8);
    while (onWire().some(({ domain }) => domain !== "big.example")) {
      for (const one of onWire()) if (one.domain !== "big.example") end(one, accepted);
      await settled();
    }
    assert.equal(onWire("big.example").length, 1, "nothing is known of it yet");
    for (const most of [3, 6, 6]) {
      for (const one of onWire()) end(one, accepted);
      await settled();
      assert.equal(onWire("big.example").length, most);
    }
  });

  test("gives the only domain there is everything, once nobody else has come for long", async (t) => {
    const { ask, time, onWire, end } = open(t, 8);
    ask("other.example");
    const seen: number[] = [];
    for (let round = 0; round < 1_100; round++) {
      ask("big.example", 8);
      await settled();
      seen.push(onWire("big.example").length);
      time.ms += 10;
      for (const one of onWire()) end(one, accepted);
    }
    assert.equal(seen[500], 6, "after five seconds a reserve is kept");
    assert.equal(seen.at(-1), 8);
  });

  test("a domain that was quick and is suddenly slow leaves the others a quarter at once, and then all but one", async (t) => {
    // Looks come by the test's clock alone: on a busy machine the real timer would fire at any moment of it.
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { dispatcher, ask, time, permits, onWire, end } = open(t, 20);
    const others = () => onWire().filter(({ domain }) => domain !== "tarpit.example");
    const endAll = (some: ReturnType<typeof onWire>) => {
      for (const one of some) end(one, accepted);
    };
    // The later tarpit is quick at first, and has most of the messages.
    for (let round = 0; round < 100; round++) {
      ask("tarpit.example", 20);
      for (let n = 0; n < 4; n++) ask(`quick${n}.example`);
      await settled();
      time.ms += 2;
      endAll(onWire());
    }
    ask("tarpit.example", 300);
    await settled();
    assert.equal(onWire("tarpit.example").length, 15);
    // From now on each of its messages takes nine seconds, and those of the others still take two milliseconds.
    const sentIn = new Map<number, number>();
    for (let ms = 2; ms <= 20_000; ms += 2) {
      for (let n = 0; ms % 20 === 0 && n < 20; n++) ask(`quick${n % 10}.example`);
      time.ms += 2;
      if (ms % 9_000 === 0) endAll(onWire("tarpit.example"));
      const second = Math.floor(ms / 1_000);
      sentIn.set(second, (sentIn.get(second) ?? 0) + others().length);
      endAll(others());
      await settled();
      if (ms > 9_000) assert.ok(onWire("tarpit.example").length <= 1, `at ${ms} ms`);
    }
    for (let second = 0; second < 20; second++)
      assert.ok(
        (sentIn.get(second) ?? 0) >= 950,
        `${sentIn.get(second)} of 1,000 others in second ${second}`,
      );
    const parked = permits.filter(({ permit }) => permit.kind === "later");
    assert.ok(parked.length >= 250 && parked.every(({ domain }) => domain === "tarpit.example"));
    ask("tarpit.example", 30);
    assert.ok(
      (dispatcher.waitIfFull("tarpit.example") ?? 0) > 2_000,
      "it is said before a message is composed",
    );
    assert.equal(dispatcher.waitIfFull("quick1.example"), undefined);
  });

  test("what is parked before the first slow message has ended waits by the age of that one", async (t) => {
    const { ask, time, permits, onWire, end } = open(t, 20);
    ask("tarpit.example", 10);
    for (let n = 0; n < 50; n++) ask(`quick${n}.example`);
    await settled();
    assert.ok(onWire("tarpit.example").length >= 1);
    for (const one of onWire()) if (one.domain !== "tarpit.example") end(one, accepted);
    time.ms += 3_000;
    ask("tarpit.example", 60);
    await settled();
    const waits = permits.flatMap(({ permit }) => (permit.kind === "later" ? [permit.waitMs] : []));
    assert.ok(waits.length >= 50, `${waits.length}`);
    // With one connection and three seconds each, the fiftieth is sent after two minutes at the earliest.
    assert.ok(Math.max(...waits) > 80_000, `${Math.max(...waits)}`);
  });

  test("a list of a thousand domains that nobody knows has all connections, at first and after a pause", async (t) => {
    const { ask, time, onWire, end } = open(t, 20);
    for (const part of ["first", "second"]) {
      time.ms += 5_000;
      for (let n = 0; n < 500; n++) ask(`${part}${n}.example`);
      await settled();
      const seen: number[] = [];
      while (onWire().length > 0) {
        seen.push(onWire().length);
        time.ms += 40;
        for (const one of onWire()) end(one, accepted);
        await settled();
      }
      // After a pause the dispatcher begins with a quarter of the connections, and is at full speed after three rounds.
      assert.ok(seen[0] === (part === "first" ? 20 : 5), `${seen}`);
      assert.ok(
        seen.slice(3, -1).every((most) => most === 20),
        `${seen}`,
      );
    }
  });

  const crowds: { what: string; domains: number; takesMs: number; least: number }[] = [
    { what: "40 tarpits", domains: 40, takesMs: 9_000, least: 14 },
    { what: "400 tarpits", domains: 400, takesMs: 9_000, least: 14 },
    { what: "30 domains of nearly a second", domains: 30, takesMs: 900, least: 9 },
    { what: "100 domains of nearly a second", domains: 100, takesMs: 900, least: 9 },
  ];
  for (const { what, domains, takesMs, least } of crowds) {
    test(`${what} that nobody knows leave known quick domains ${least} of 20 connections`, async (t) => {
      const { ask, time, onWire, end } = open(t, 20);
      const dueMs = new Map<ReturnType<typeof onWire>[number], number>();
      const isOther = ({ domain }: { domain: string }) => domain.startsWith("quick");
      const step = async () => {
        await settled();
        for (const one of onWire())
          if (!dueMs.has(one)) dueMs.set(one, time.ms + (isOther(one) ? 40 : takesMs));
        time.ms += 10;
        for (const one of onWire()) if ((dueMs.get(one) ?? 0) <= time.ms) end(one, accepted);
        await settled();
      };
      for (let n = 0; n < 200; n++) ask(`quick${n % 50}.example`);
      for (let ms = 0; ms < 3_000; ms += 10) await step();
      for (let n = 0; n < 1_500; n++) ask(`crowd${n % domains}.example`);
      for (let ms = 0; ms < 1_500; ms += 10) await step();
      for (let n = 0; n < 50; n++) ask(`quick${n}.example`);
      await settled();
      assert.ok(onWire().some(isOther), "the first goes at once");
      const means: number[] = [];
      for (let second = 0; second < 30; second++) {
        let sum = 0;
        for (let ms = 0; ms < 1_000; ms += 10) {
          const waiting = 100 - onWire().filter(isOther).length;
          for (let n = 0; ms % 40 === 0 && n < Math.min(20, waiting); n++)
            ask(`quick${(n + ms) % 50}.example`);
          await step();
          sum += onWire().filter(isOther).length;
        }
        means.push(Math.round(sum / 100));
      }
      assert.ok(
        means.slice(1).every((mean) => mean >= least),
        `${means}`,
      );
    });
  }

  test("tells the messages that are sent next, a window's worth and not the whole queue", async (t) => {
    const { ask, near } = open(t, 5);
    for (let n = 0; n < 500; n++) ask(`d${n % 10}.example`);
    await settled();
    assert.ok(near.length >= 10 && near.length <= 20, `${near.length}`);
  });

  test("sends those of a domain that asks for less away, and keeps a few", async (t) => {
    const { ask, time, permits, onWire, end } = open(t, 8);
    ask("slow.example", 60);
    ask("other.example", 200);
    for (let round = 0; round < 8; round++) {
      await settled();
      time.ms += 1_500;
      for (const one of onWire()) end(one, one.domain === "slow.example" ? slowDown : accepted);
    }
    await settled();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const away = permits.filter(({ permit }) => permit.kind === "later");
    assert.ok(away.length >= 20, `${away.length} of the slow ones`);
    assert.ok(away.every(({ domain }) => domain === "slow.example"));
    assert.ok(onWire("other.example").length >= 4, "the others go on");
  });

  test("keeps a hundred of a domain that takes much longer than the rest, and calls for others", async (t) => {
    const { dispatcher, ask, time, permits, onWire, end } = open(t, 8);
    ask("late.example", 400);
    for (let n = 0; n < 400; n++) ask(`quick${n % 20}.example`);
    for (let ms = 2; ms <= 300; ms += 2) {
      await settled();
      time.ms += 2;
      for (const one of onWire()) if (one.domain !== "late.example" || ms % 200 === 0) end(one, accepted);
    }
    await dispatcher.untilShort();
    const away = permits.filter(({ permit }) => permit.kind === "later");
    assert.ok(away.length >= 290 && away.every(({ domain }) => domain === "late.example"), `${away.length}`);
    assert.equal(permits.filter(({ domain }) => domain !== "late.example").length, 400);
  });

  test("slows down for everybody when the server itself asks for less", async (t) => {
    const { ask, time, onWire, end } = open(t, 8);
    for (let n = 0; n < 100; n++) ask(`d${n}.example`);
    await settled();
    time.ms += 2_000;
    for (const one of onWire()) end(one, busy);
    await settled();
    assert.equal(onWire().length, 4);
  });

  test("three domains that ask for less at once are the server", async (t) => {
    const { ask, time, onWire, end } = open(t, 8);
    for (let n = 0; n < 100; n++) ask(`d${n}.example`);
    await settled();
    time.ms += 2_000;
    for (const one of onWire()) end(one, slowDown);
    await settled();
    assert.ok(onWire().length < 8, `${onWire().length}`);
  });

  test("begins no message beyond the rate", async (t) => {
    const { ask, onWire } = open(t, 8, { left: 3 });
    for (let n = 0; n < 20; n++) ask(`d${n % 5}.example`);
    await settled();
    assert.equal(onWire().length, 3);
  });

  test("holds back when too much of what was sent isn't written down yet", async (t) => {
    const { ask, permits } = open(t, 10);
    ask("a.example", 200);
    for (let round = 0; round < 20; round++) {
      await settled();
      for (const one of permits) {
        if (one.permit.kind !== "now" || one.isLeft) continue;
        one.isLeft = true;
        one.permit.releaseConnection(accepted);
      }
    }
    assert.equal(permits.length, 60);
  });

  test("closed, it begins no message, waiting or new", async (t) => {
    const { ask, dispatcher, permits } = open(t, 2);
    ask("a.example", 10);
    await settled();
    dispatcher.close();
    ask("a.example", 3);
    await settled();
    assert.equal(permits.filter(({ permit }) => permit.kind === "now").length, 1);
    assert.equal(permits.filter(({ permit }) => permit.kind === "never").length, 12);
  });
});
