/** Unsubscribes people and pauses campaigns during a send at full speed, and checks what is sent after their answers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { pauseSource, resumeSource } from "../src/delivery/delivery.ts";
import { unsubscribe } from "../src/subscribers/consent/consent.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { createRandom } from "../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { judge } from "./judge.ts";
import { createTestbed, reportCounts } from "./testbed.ts";

export const racesFault: Fault = {
  name: "races",
  summary: "unsubscribes and pauses against a send at full speed",
  async *run(setting) {
    const times = setting.full ? 5 : 1;
    yield* unsubscribeMeanwhile(setting, { people: 20_000 * times, unsubscribes: 10_000 * times });
    yield* pauseMeanwhile(setting, { people: 20_000 * times, pauses: 10 * times });
  },
};

const AT_ONCE = 6;

/**
 * A row is checked in the statement that marks it inflight, and its body follows within 200 ms of that commit. So a
 * body that begins later than that after the answer, plus the time of the statement, was checked after the answer.
 */
export async function* unsubscribeMeanwhile(
  setting: Setting,
  sizes: { readonly people: number; readonly unsubscribes: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const random = createRandom(setting.seed);
  try {
    await testbed.sink.misbehave([{ at: "dot", delayMs: 4 }], setting.seed);
    const campaign = await testbed.launch(sizes.people);
    const leaving = campaign.people
      .map((to, n) => ({ to, id: campaign.subscribers[n] ?? "", at: random() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, sizes.unsubscribes);
    await testbed.startSender();
    await testbed.sink.until("a body", ({ begun }) => begun > 0);
    const answeredMs = new Map<string, number>();
    const left = leaving.values();
    const leave = async () => {
      for (const { to, id } of left) {
        await testbed.bench.ctx((ctx) =>
          unsubscribe(ctx, id, { scope: "list", reason: null, source: "test" }),
        );
        answeredMs.set(to, nowMs());
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, leave));
    const hasEnded = await testbed.ends(campaign, 60_000);
    setting.note(`${answeredMs.size} unsubscribed; ended: ${hasEnded}`);
    const log = await testbed.sink.log();
    const lateBy = log.bodies.map(
      ({ to, begunMs }) => begunMs - (answeredMs.get(to) ?? Number.POSITIVE_INFINITY),
    );
    const skipped = new Set(await testbed.whoIs(campaign, "skipped"));
    const verdict = judge(
      log,
      campaign.people.filter((to) => !skipped.has(to)),
      [],
    );
    const wrongly = [...skipped].filter((to) => !answeredMs.has(to));
    const afterwards = lateBy.filter((ms) => ms > 0).length;
    const name = `${sizes.unsubscribes} unsubscribes`;
    yield atMost(`${name}: latest body after the answer`, Math.max(0, ...lateBy), 300 * setting.slack, "ms", [
      `${skipped.size} left in time, ${afterwards} bodies began after the answer`,
    ]);
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: skipped that hadn't left`, wrongly.length, 0, "recipients", wrongly.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages");
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

export async function* pauseMeanwhile(
  setting: Setting,
  sizes: { readonly people: number; readonly pauses: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const random = createRandom(setting.seed);
  try {
    const campaign = await testbed.launch(sizes.people);
    await Promise.all([testbed.startSender(), testbed.startSender()]);
    const answers: { pausedMs: number; resumedMs: number }[] = [];
    for (let n = 0; n < sizes.pauses; n++) {
      const part = (n + random()) / (sizes.pauses + 1);
      await testbed.sink.until("part of it", ({ begun }) => begun >= part * sizes.people, 60_000);
      await testbed.bench.ctx((ctx) => pauseSource(ctx, campaign.id));
      const pausedMs = nowMs();
      await sleep(1_000);
      answers.push({ pausedMs, resumedMs: nowMs() });
      await testbed.bench.ctx((ctx) => resumeSource(ctx, campaign.id));
    }
    await testbed.ends(campaign, 60_000);
    const log = await testbed.sink.log();
    const lateMs = answers.map(({ pausedMs, resumedMs }) => {
      const during = log.bodies.filter(({ begunMs }) => begunMs > pausedMs && begunMs < resumedMs);
      return { count: during.length, last: Math.max(0, ...during.map(({ begunMs }) => begunMs - pausedMs)) };
    });
    const verdict = judge(log, campaign.people, []);
    const name = `${sizes.pauses} pauses`;
    yield atMost(
      `${name}: latest body after the answer`,
      Math.max(...lateMs.map(({ last }) => last)),
      200 * setting.slack,
      "ms",
      [`after each: ${lateMs.map(({ count, last }) => `${count} within ${Math.round(last)} ms`).join(", ")}`],
    );
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages", verdict.unexcused.slice(0, 5));
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}
