/**
 * Stops a sender by SIGSTOP until after its take-over and continues it, and ends senders and the whole program by
 * SIGTERM while they send.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { sql } from "../src/platform/db/db.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { type Body, createRandom } from "../test/support/sink/sink.ts";
import { until } from "../test/support/until.ts";
import { exactly, type Fault, type Setting } from "./fault.ts";
import { judge } from "./judge.ts";
import { terminateProgram } from "./program.ts";
import { type Campaign, createTestbed, onlyTo, reportCounts, type Testbed } from "./testbed.ts";

export const stopsFault: Fault = {
  name: "stops",
  summary: "SIGSTOP past the take-over, then SIGCONT; SIGTERM in mid-send",
  async *run(setting) {
    const times = setting.full ? 5 : 1;
    yield* stopAndContinue(setting, { people: 4_000 * times });
    yield* stopInBody(setting);
    yield* terminateSenders(setting, { people: 20_000 * times, times: 20 * times });
    yield* terminateProgram(setting, { people: 20_000 * times, times: 20 * times });
  },
};

/** Stops a sender that will find replies waiting when it continues, and rows of a lease still to be sent. */
export async function* stopAndContinue(
  setting: Setting,
  sizes: { readonly people: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave([{ at: "dot", delayMs: 300 }], setting.seed);
    const campaign = await testbed.launch(sizes.people);
    const stopped = await testbed.startSender();
    await testbed.sink.until("bodies", ({ begun }) => begun >= 12);
    const stoppedMs = nowMs();
    stopped.signal("SIGSTOP");
    await testbed.sink.misbehave([]);
    const other = await testbed.startSender();
    const hasEnded = await testbed.ends(campaign, 60_000);
    setting.note(`stopped and taken over: ended ${hasEnded}`);
    const before = await readLedger(testbed, campaign);
    const continuedMs = nowMs();
    stopped.signal("SIGCONT");
    // The continued sender is now alone and must send the next campaign, which shows that it has recovered and done
    // all that it would have done before.
    other.signal("SIGTERM");
    await other.ended;
    const next = await testbed.launch(50);
    const isBack = await testbed.ends(next, 30_000);
    const log = onlyTo(await testbed.sink.log(), campaign);
    const cut = { client: stopped.name, atMs: stoppedMs, upToMs: stoppedMs + 500 };
    const verdict = judge(log, campaign.people, [cut], { slack: setting.slack, stalls: testbed.stalls() });
    const late = log.bodies.filter(({ begunMs }) => begunMs > continuedMs);
    const name = "stopped past the take-over";
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates of what wasn't on the wire`, verdict.unexcused.length, 0, "messages", [
      `${verdict.duplicates} duplicates, ${verdict.onWire} bodies on the wire when it was stopped`,
      ...verdict.unexcused.slice(0, 5),
    ]);
    yield exactly(`${name}: bodies begun after it went on`, late.length, 0, "bodies");
    const changed = changesOf(before, await readLedger(testbed, campaign));
    yield exactly(`${name}: stale writes`, changed.length, 0, "rows", changed.slice(0, 5));
    yield exactly(`${name}: sends again under another name`, Number(isBack), 1, "campaign");
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

const HUGE_LINES = 300_000;
const STALLED = 3;

/**
 * Stops a sender in the middle of bodies too large for the buffers in between. The sink reads before the sender
 * continues, so that the sender first finds room for the rest and the dot.
 */
export async function* stopInBody(setting: Setting): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave([{ at: "body", delayMs: 5_000, times: STALLED }], setting.seed);
    const campaign = await testbed.launch(STALLED, { revision: { subject: "Huge", lines: HUGE_LINES } });
    const stopped = await testbed.startSender({ connections: STALLED });
    await testbed.sink.until("bodies", ({ begun }) => begun === STALLED);
    // After this time the buffers are full.
    await sleep(500);
    stopped.signal("SIGSTOP");
    await testbed.startSender();
    const hasEnded = await testbed.ends(campaign, 60_000);
    setting.note(`stopped in bodies: ended ${hasEnded}`);
    stopped.signal("SIGCONT");
    const own = ({ client }: Body) => client === stopped.name;
    const isOver = ({ dotMs, cutMs }: Body) => dotMs !== null || cutMs !== null;
    await until(async () => (await testbed.sink.log()).bodies.filter(own).every(isOver), 20_000);
    const log = await testbed.sink.log();
    const finished = log.bodies.filter((body) => own(body) && body.dotMs !== null);
    const verdict = judge(log, campaign.people, []);
    const name = "stopped in bodies past the take-over";
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients");
    yield exactly(`${name}: bodies ended all the same`, finished.length, 0, "bodies", [
      `of ${STALLED} of ${Math.round((log.bodies.at(-1)?.bytes ?? 0) / 1e6)} MB`,
    ]);
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

/** Uses `hold`, so that a single reply which wasn't waited for would show. */
export async function* terminateSenders(
  setting: Setting,
  sizes: { readonly people: number; readonly times: number },
): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const random = createRandom(setting.seed);
  const name = `SIGTERM ${sizes.times} times`;
  try {
    await testbed.sink.misbehave([{ at: "dot", delayMs: 20 }], setting.seed);
    const campaign = await testbed.launch(sizes.people, { onAmbiguous: "hold" });
    const codes: (number | null)[] = [];
    for (let n = 0; n < sizes.times; n++) {
      const { begun } = await testbed.sink.count();
      const sender = await testbed.startSender();
      await testbed.sink.until("a body", (now) => now.begun > begun);
      await sleep(random() * 250);
      sender.signal("SIGTERM");
      codes.push((await sender.ended).code);
    }
    const { taken } = await testbed.sink.count();
    await testbed.sink.misbehave([]);
    await testbed.startSender();
    await testbed.ends(campaign, 60_000);
    const verdict = judge(await testbed.sink.log(), campaign.people, []);
    const unknown = await testbed.whoIs(campaign, "unknown");
    yield exactly(`${name}: ended cleanly`, codes.filter((code) => code === 0).length, sizes.times, "times", [
      `${taken} of ${sizes.people} were sent by then`,
    ]);
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield exactly(`${name}: duplicates`, verdict.duplicates, 0, "messages", verdict.unexcused.slice(0, 5));
    yield exactly(`${name}: unknown`, unknown.length, 0, "recipients", unknown.slice(0, 5));
    yield* reportCounts(name, testbed);
  } finally {
    await testbed.stop();
  }
}

type LedgerRow = { contact_id: string; row: string };

function readLedger({ bench }: Testbed, { id }: Campaign): Promise<LedgerRow[]> {
  return bench.db.many<LedgerRow>(sql`
    select contact_id, concat_ws(' ', state, attempt, worker_id, epoch, changed_at, why, code) as row from deliveries
    where account_id = ${bench.accountId} and source_id = ${id} order by contact_id`);
}

function changesOf(before: readonly LedgerRow[], after: readonly LedgerRow[]): string[] {
  return after.flatMap(({ contact_id: contact, row }, n) =>
    before[n]?.row === row ? [] : [`${contact}: ${before[n]?.row} became ${row}`],
  );
}
