/**
 * Kills senders with `kill -9` while a transport is warmed up: by the receiving server's log no provider gets more mails on a day than its
 * cap, and when the plan is deleted everybody who waited gets the mail.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../bench/harness/bench.ts";
import { readProgress } from "../../src/delivery/delivery.ts";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { testSenderOptions } from "../../test/support/delivery.ts";
import { createRandom, type SinkLog } from "../../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "../fault.ts";
import { type Cut, judge } from "../judge.ts";
import { type Campaign, createTestbed, type Ended, reportCounts, type Testbed } from "../testbed.ts";

/** The domains of the recipients, one for each of three providers. */
const DOMAINS = ["gmail.com", "yahoo.com", "warmup.example"];

type WarmupSizes = {
  readonly people: number;
  readonly cap: number;
  readonly senders: number;
  readonly kills: number;
};

export const warmupFault: Fault = {
  name: "warmup",
  summary: "kill -9 of senders while a transport is warmed up: no cap is passed, and nobody is lost",
  async *run(setting) {
    const times = setting.full ? 5 : 1;
    yield* killWarmingSenders(setting, {
      people: 9_000 * times,
      cap: 2_000 * times,
      senders: 3,
      kills: setting.kills ?? 20 * times,
    });
  },
};

export async function* killWarmingSenders(setting: Setting, sizes: WarmupSizes): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    await testbed.sink.misbehave([{ at: "dot", delayMs: 2 }], setting.seed);
    const campaign = await launchWarming(testbed, sizes);
    const cuts = await killInTurn(testbed, setting, sizes);
    await untilHeld(testbed, campaign);
    // What is on the wire ends, and were more to leave, it would leave now.
    await sleep(2_000);
    const held = await testbed.sink.log();
    const sent = countByDay(held);
    await testbed.bench.db.execute(sql`delete from warmup_plans`);
    // A row that was put off for a moment, because its domain had enough under way, and then found the cap used up waits for the next day.
    const called = await testbed.bench.db.execute(
      sql`update retries set due_at = now() where not claimed and due_at > now()`,
    );
    setting.note(`warmup: ${called} put off until the next day were called back`);
    await testbed.ends(campaign, 60_000);
    const log = await testbed.sink.log();
    yield* report(sizes, cuts, campaign, { sent, whole: log });
    yield* reportDuplicates(setting, testbed, cuts, campaign, log);
    yield* reportCounts("warmup", testbed);
  } finally {
    await testbed.stop();
  }
}

async function launchWarming(
  { bench, sink, launch }: Testbed,
  { people, cap }: WarmupSizes,
): Promise<Campaign> {
  const tools = { ...testSenderOptions, internalHosts: ["127.0.0.1"] };
  const { id } = await bench.ctx((ctx) =>
    createTransport(ctx, tools, {
      name: "Warming",
      host: "127.0.0.1",
      port: sink.port,
      tls: "never",
      max_connections: 8,
      streams: ["campaign"],
    }),
  );
  await bench.db.execute(sql`
    insert into warmup_plans (account_id, transport_id, start_per_day, growth, target_per_day, began_at, updated_at)
    values (${bench.accountId}, ${id}, ${cap}, 1.5, ${cap}, now(), now())`);
  const emails = Array.from({ length: people }, (_, n) => `person${n}@${DOMAINS[n % DOMAINS.length]}`);
  return launch(emails, { hasInstanceServer: false, isSandbox: false, ownHost: "127.0.0.1" });
}

/** Gives up only where nothing has changed for a minute: how long senders take to start, and to send, is the machine's affair. */
async function untilHeld({ bench }: Testbed, { id }: Campaign): Promise<void> {
  let [known, changedMs] = ["", performance.now()];
  for (;;) {
    const progress = (await readProgress(bench.db, bench.accountId, [id], new Date())).get(id);
    if (progress?.phase === "held") return;
    const left = await bench.db.one<Record<string, unknown>>(sql`
      select (select count(*)::int from batches) as batches, (select count(*)::int from retries) as retries,
             (select jsonb_object_agg(provider, drawn) from transport_days) as drawn`);
    const seen = JSON.stringify({ phase: progress?.phase, done: progress?.done, ...left });
    if (seen !== known) [known, changedMs] = [seen, performance.now()];
    if (performance.now() - changedMs > 60_000) throw new Error(`the campaign isn't held: ${seen}`);
    await sleep(250);
  }
}

/** Each sender dies a moment after mail began to leave; once the caps are used up, none leaves, and it dies idle. */
async function killInTurn(testbed: Testbed, setting: Setting, sizes: WarmupSizes): Promise<Ended[]> {
  const random = createRandom(setting.seed);
  const waits = Array.from({ length: sizes.kills }, () => random() * 500).values();
  const cuts: Ended[] = [];
  const place = async () => {
    for (const waitMs of waits) {
      const sender = await testbed.startSender();
      await sleep(waitMs);
      sender.signal("SIGKILL");
      cuts.push(await sender.ended);
      setting.note(`warmup: ${cuts.length} killed`);
    }
    await testbed.startSender();
  };
  await Promise.all(Array.from({ length: sizes.senders }, place));
  return cuts;
}

const domainOf = (to: string) => to.slice(to.lastIndexOf("@") + 1);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Counts what each of the providers took on each day of UTC. */
function countByDay({ bodies }: SinkLog): readonly { readonly key: string; readonly count: number }[] {
  const taken = bodies.filter((body) => body.taken);
  const groups = Map.groupBy(taken, ({ to, begunMs }) => `${domainOf(to)} ${dayOf(begunMs)}`);
  return [...groups].map(([key, own]) => ({ key, count: own.length }));
}

async function* report(
  { cap, kills }: WarmupSizes,
  cuts: readonly Ended[],
  { people }: Campaign,
  { sent, whole }: { readonly sent: ReturnType<typeof countByDay>; readonly whole: SinkLog },
): AsyncIterable<Result> {
  yield exactly("warmup: killed", cuts.length, kills, "senders");
  const most = Math.max(0, ...sent.map(({ count }) => count));
  const details = sent.map(({ key, count }) => `${key}: ${count} of ${cap}`);
  yield atMost("warmup: most that a provider took on a day", most, cap, "mails", details);
  yield exactly("warmup: caps exceeded", sent.filter(({ count }) => count > cap).length, 0, "caps");
  const got = new Set(whole.bodies.filter((body) => body.taken).map(({ to }) => to));
  const lost = people.filter((to) => !got.has(to));
  yield exactly("warmup: lost", lost.length, 0, "recipients", lost.slice(0, 5));
}

/** What a sender wrote before it died may be read by a busy server this long after, which then answers nobody. */
const READ_WITHIN_MS = 250;

/** Nobody gets a mail twice but who was on the wire when a sender died. All senders give the same name, that of the transport. */
async function* reportDuplicates(
  { slack }: Setting,
  testbed: Testbed,
  ended: readonly Ended[],
  { people }: Campaign,
  log: SinkLog,
): AsyncIterable<Result> {
  const clients = [...new Set(log.bodies.map(({ client }) => client))];
  const readMs = READ_WITHIN_MS * slack;
  const cuts = clients.flatMap((client) =>
    ended.map(({ atMs }): Cut => ({ client, atMs, upToMs: atMs + readMs })),
  );
  const verdict = judge(log, people, cuts, { slack, stalls: testbed.stalls() });
  yield atMost("warmup: duplicates", verdict.duplicates, verdict.onWire, "messages");
  const unexcused = verdict.unexcused;
  yield exactly(
    "warmup: duplicates of what wasn't on the wire",
    unexcused.length,
    0,
    "messages",
    unexcused.slice(0, 5),
  );
}
