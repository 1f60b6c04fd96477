/** One campaign whose sender a server refuses, while it takes the mail of others, over real SMTP. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { resumeSource } from "../../src/delivery/delivery.ts";
import { updateTransport } from "../../src/delivery/transports/transports.ts";
import { type Compose, composerOf, composeSimply } from "../support/delivery.ts";
import { failoverTools, useFailover } from "../support/failover.ts";
import { until } from "../support/until.ts";

/** Composes mails whose sender is named like their subject. */
const composeFrom: Compose = async ({ revision }) => {
  const { subject } = revision as { subject: string };
  const compose = await composeSimply({ revision });
  return async (recipients) =>
    (await compose(recipients)).map((one) => (one.ok ? { ...one, from: `${subject}@example.org` } : one));
};

describe("failover of one campaign", () => {
  const ground = useFailover();
  const { start, slowly, send, ctx, order, addPeople, launch, isOut, transportOf, countEvents } = ground;
  const refused: string[] = [];
  /** Refuses the senders of these names, and takes its time with others. */
  const refusing = (...names: readonly string[]) => ({
    ...slowly,
    onMailFrom: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) => {
      const isRefused = names.some((name) => address.startsWith(`${name}@`));
      if (isRefused) refused.push(address);
      done(
        isRefused ? Object.assign(new Error("5.7.1 sender not allowed"), { responseCode: 550 }) : undefined,
      );
    },
  });
  const isEnded = (id: string, kind: string) => until(() => ground.bench.ended.get(id)?.kind === kind);
  const senders = (relay: { readonly received: readonly { readonly from: string }[] }) =>
    [...new Set(relay.received.map(({ from }) => from))].sort();

  async function sendBoth(relay: { readonly received: readonly unknown[] }) {
    const people = await addPeople(600);
    await send(1, { composer: composerOf(ground.bench.db, composeFrom) });
    const welcome = await launch({ revision: { subject: "welcome" } });
    await until(() => relay.received.length >= 20);
    const barred = await launch({ revision: { subject: "barred" } });
    return { people, welcome, barred };
  }

  test("it moves to the next by itself, and the server stays in for the others", async () => {
    const [a, b] = [await start(refusing("barred")), await start()];
    const [first = "", second = ""] = await order([a, b]);
    const { people, welcome, barred } = await sendBoth(a);
    await Promise.all([isEnded(welcome, "done"), isEnded(barred, "done")]);
    assert.deepEqual([await transportOf(welcome), await transportOf(barred)], [first, second]);
    assert.deepEqual([senders(a), senders(b)], [["welcome@example.org"], ["barred@example.org"]]);
    assert.deepEqual([a.received.length, b.received.length], [people.length, people.length]);
    assert.deepEqual([await isOut(first), await countEvents("transport.put_out")], [false, 0]);
  });

  test("it pauses once all servers have refused it, each of which is asked once; a resume tries anew", async () => {
    refused.length = 0;
    const [a, b] = [await start(refusing("barred")), await start(refusing("barred"))];
    const [first = "", second = ""] = await order([a, b]);
    const { people, welcome, barred } = await sendBoth(a);
    await Promise.all([isEnded(welcome, "done"), isEnded(barred, "paused")]);
    const paused = ground.bench.ended.get(barred);
    assert.equal(paused?.kind === "paused" && paused.reason, "transport_rejected");
    assert.equal(await isOut(first), false);
    assert.ok(refused.length <= 200, `${refused.length} were refused`);
    const counts = await ground.bench.counts(barred, ground.accountId);
    assert.deepEqual([counts.sent, counts.failed], [0, 0]);
    // The second was put out, as it took nobody's mail; an edit brings it back. The first allows the sender by now.
    a.kill();
    const better = await start({}, a.port);
    await ctx((one) =>
      updateTransport(one, failoverTools, second, { ehlo_name: "mail.example.com" }, undefined),
    );
    ground.bench.ended.delete(barred);
    await ctx((one) => resumeSource(one, barred));
    await isEnded(barred, "done");
    assert.equal(better.received.length, people.length);
  });
});
