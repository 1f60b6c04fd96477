/**
 * Kills senders with `kill -9` while a campaign uses up its account's allowance: exactly as many are sent as the account may send, the
 * receiving server has more copies only of what was on the wire when a sender died, and with more room everybody else gets the mail.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../bench/harness/bench.ts";
import { QUOTA_REACHED, readAllowance, resumeSource, writeAllowance } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createRandom } from "../../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "../fault.ts";
import { judge } from "../judge.ts";
import { type Campaign, createTestbed, type Ended, type Testbed } from "../testbed.ts";

type QuotaSizes = {
  readonly people: number;
  readonly limit: number;
  readonly senders: number;
  readonly kills: number;
};

export const quotaFault: Fault = {
  name: "quota",
  summary: "kill -9 of senders while an allowance is used up: exactly as many are sent, and nobody is lost",
  async *run(setting) {
    const times = setting.full ? 5 : 1;
    yield* killLimitedSenders(setting, {
      people: 12_000 * times,
      limit: 8_000 * times,
      senders: 4,
      kills: setting.kills ?? 24 * times,
    });
  },
};

export async function* killLimitedSenders(setting: Setting, sizes: QuotaSizes): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave([{ at: "dot", delayMs: 2 }], setting.seed);
    await allow(testbed, sizes.limit);
    const campaign = await testbed.launch(sizes.people);
    const watch = watchTaken(testbed, sizes.limit);
    const cuts = await killInTurn(testbed, setting, sizes);
    const hasPaused = await testbed.pauses(campaign, 60_000);
    setting.note(`quota: ${cuts.length} killed, paused: ${hasPaused}`);
    // What is on the wire ends, and were more to leave, it would leave now.
    await sleep(2_000);
    const passed = await watch.stop();
    yield exactly("quota: moments at which more was taken than allowed", passed, 0, "moments");
    yield* reportStopped(testbed, sizes, campaign);
    await allow(testbed, sizes.people);
    await testbed.bench.ctx((ctx) => resumeSource(ctx, campaign.id));
    await testbed.ends(campaign, 60_000);
    yield* reportEnd(testbed, sizes, campaign, cuts, setting);
  } finally {
    await testbed.stop();
  }
}

const DAY_MS = 24 * 3_600_000;

async function allow({ bench }: Testbed, mails: number): Promise<void> {
  const now = new Date();
  const from = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const period = { from, to: new Date(from.getTime() + 30 * DAY_MS), mails };
  await bench.ctx((ctx) =>
    writeAllowance(ctx.sql, ctx.accountId, {
      timeZone: "UTC",
      periods: [{ ...period, dailyMails: null, freeMails: null, transactionalReserve: 0 }],
      now,
    }),
  );
}

/** Looks all the while whether what was sent and what may still be sent is more than is allowed. */
function watchTaken({ bench }: Testbed, limit: number): { stop(): Promise<number> } {
  let isOver = false;
  let passed = 0;
  const running = (async () => {
    while (!isOver) {
      const allowance = await readAllowance(bench.db, bench.accountId, new Date());
      if (allowance && allowance.taken.used + allowance.taken.reserved > limit) passed++;
      await sleep(100);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await running;
      return passed;
    },
  };
}

/** Each sender dies a moment after mail began to leave; once the allowance is used up, none leaves, and it dies idle. */
async function killInTurn(testbed: Testbed, setting: Setting, sizes: QuotaSizes): Promise<Ended[]> {
  const random = createRandom(setting.seed);
  const waits = Array.from({ length: sizes.kills }, () => random() * 600).values();
  const cuts: Ended[] = [];
  const place = async () => {
    for (const waitMs of waits) {
      const sender = await testbed.startSender();
      await sleep(waitMs);
      sender.signal("SIGKILL");
      cuts.push(await sender.ended);
      setting.note(`quota: ${cuts.length} killed`);
    }
    await testbed.startSender();
  };
  await Promise.all(Array.from({ length: sizes.senders }, place));
  return cuts;
}

async function* reportStopped(
  testbed: Testbed,
  { limit }: QuotaSizes,
  campaign: Campaign,
): AsyncIterable<Result> {
  const { bench, sink } = testbed;
  const { state, reason } = await testbed.stateOf(campaign);
  const isPaused = state === "paused" && reason === QUOTA_REACHED;
  yield exactly("quota: paused for it", isPaused ? 1 : 0, 1, "campaign", [`${state} ${reason}`]);
  const { sent } = await bench.counts(campaign.id);
  yield exactly("quota: sent, when it was used up", sent, limit, "mails");
  const allowance = await readAllowance(bench.db, bench.accountId, new Date());
  yield exactly("quota: taken at rest, to what was sent", allowance?.taken.used ?? -1, sent, "mails");
  const { known } = await bench.db.one<{ known: number }>(sql`
    select count(*)::int as known from delivery_errors where state = 'deferred' and why = 'ambiguous'`);
  const copies = (await sink.log()).bodies.filter(({ taken }) => taken).length;
  yield atMost(
    "quota: copies beyond the limit, to attempts that may have been taken",
    copies - limit,
    known,
    "copies",
  );
}

async function* reportEnd(
  testbed: Testbed,
  { people, kills }: QuotaSizes,
  campaign: Campaign,
  cuts: readonly Ended[],
  { slack }: Setting,
): AsyncIterable<Result> {
  yield exactly("quota: killed", cuts.length, kills, "senders");
  const circumstances = { slack, stalls: testbed.stalls() };
  const verdict = judge(await testbed.sink.log(), campaign.people, cuts, circumstances);
  yield exactly("quota: lost", verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
  yield exactly(
    "quota: unexcused duplicates",
    verdict.unexcused.length,
    0,
    "copies",
    verdict.unexcused.slice(0, 5),
  );
  const { sent } = await testbed.bench.counts(campaign.id);
  yield exactly("quota: sent, with room for all", sent, people, "mails");
  const miscounted = await testbed.miscounted();
  yield exactly("quota: counts that differ", miscounted.length, 0, "counts", miscounted.slice(0, 5));
}
