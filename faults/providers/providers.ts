/**
 * Gmail says 4.7.28 to one of four sender processes: by the receiving server's log none of them, nor one that is started meanwhile, tries
 * Gmail again while it is closed; everybody else gets the mail at once, and once Gmail is opened nobody was lost.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../bench/harness/bench.ts";
import { reopenProvider } from "../../src/delivery/providers/providers.ts";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { testSenderOptions } from "../../test/support/delivery.ts";
import type { SinkLog } from "../../test/support/sink/sink.ts";
import { GMAIL_RATE } from "../../test/support/smtp/provider-replies.ts";
import { until } from "../../test/support/until.ts";
import { exactly, type Fault, type Setting } from "../fault.ts";
import { type Campaign, createTestbed, reportCounts, type Testbed } from "../testbed.ts";

type ProviderSizes = {
  /** So many at Gmail, and as many elsewhere. */
  readonly people: number;
  /** How many Gmail takes before it asks for less. */
  readonly taken: number;
  readonly senders: number;
  readonly watchMs: number;
};

/** Senders read what is closed once a second, and hear of it before that. */
const BEAT_MS = 1_000;

export const providersFault: Fault = {
  name: "providers",
  summary: "Gmail asks four senders for less: no attempt in ten minutes, though a sender is killed meanwhile",
  run: (setting) =>
    closeGmail(setting, {
      people: setting.full ? 20_000 : 4_000,
      taken: 500,
      senders: 4,
      watchMs: 9.9 * 60_000,
    }),
};

export async function* closeGmail(setting: Setting, sizes: ProviderSizes): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const { bench, sink } = testbed;
  try {
    await sink.misbehave([{ at: "rcpt", to: "@gmail\\.com$", reply: GMAIL_RATE, skip: sizes.taken }]);
    const { transportId, campaign } = await launchBoth(testbed, sizes.people);
    const senders = await Promise.all(
      Array.from({ length: sizes.senders }, () => testbed.startSender({ connections: 4 })),
    );
    const closedMs = await seeClosed(testbed);
    setting.note(`providers: Gmail is closed, and watched for ${Math.round(sizes.watchMs / 1_000)} s`);
    await sleep(sizes.watchMs / 2);
    senders[0]?.signal("SIGKILL");
    await senders[0]?.ended;
    await testbed.startSender({ connections: 4 });
    await sleep(closedMs + sizes.watchMs - Date.now());
    const closed = await sink.log();
    await sink.misbehave([]);
    await bench.ctx((ctx) => reopenProvider(ctx, transportId, "google"));
    const isDone = await testbed.ends(campaign, 60_000);
    yield* report(sizes, campaign, { closedMs, closed, whole: await sink.log(), isDone });
    yield* reportCounts("providers", testbed);
  } finally {
    await testbed.stop();
  }
}

async function launchBoth({ bench, sink, launch }: Testbed, people: number) {
  const tools = { ...testSenderOptions, internalHosts: ["127.0.0.1"] };
  const { id } = await bench.ctx((ctx) =>
    createTransport(ctx, tools, {
      name: "Provider's",
      host: "127.0.0.1",
      port: sink.port,
      tls: "never",
      max_connections: 16,
      streams: ["campaign"],
    }),
  );
  const emails = Array.from({ length: people }, (_, n) => [`p${n}@gmail.com`, `p${n}@elsewhere.example`]);
  const where = { hasInstanceServer: false, isSandbox: false, ownHost: "127.0.0.1" };
  return { transportId: id, campaign: await launch(emails.flat(), where) };
}

/** Returns when Gmail was closed. */
async function seeClosed({ bench }: Testbed): Promise<number> {
  const find = () =>
    bench.db.many<{ at: Date }>(
      sql`select closed_at as at from provider_closings where account_id = ${bench.accountId} and provider = 'google'`,
    );
  await until(async () => (await find()).length > 0, 60_000);
  return (await find())[0]?.at.getTime() ?? 0;
}

async function* report(
  { people, senders, watchMs }: ProviderSizes,
  campaign: Campaign,
  seen: {
    readonly closedMs: number;
    readonly closed: SinkLog;
    readonly whole: SinkLog;
    readonly isDone: boolean;
  },
): AsyncIterable<Result> {
  const isGmail = ({ to }: { readonly to: string }) => to.endsWith("@gmail.com");
  const attempts = [
    ...seen.closed.bodies.filter(isGmail).map(({ rcptMs, client }) => ({ atMs: rcptMs, client })),
    ...seen.closed.refusals.filter(isGmail).map(({ atMs, client }) => ({ atMs, client })),
  ].map(({ atMs, client }) => ({ client, afterMs: atMs - seen.closedMs }));
  const late = attempts.filter(({ afterMs }) => afterMs > BEAT_MS);
  const atOnce = attempts.filter(({ afterMs }) => afterMs > 0 && afterMs <= BEAT_MS);
  yield exactly(
    `providers: attempts at Gmail in ${Math.round(watchMs / 60_000)} min, over ${senders} senders`,
    late.length,
    0,
    "attempts",
    [
      `${atOnce.length} in the second in which it was closed; ${seen.closed.refusals.length} refused in all`,
      ...late.slice(0, 5).map(({ client, afterMs }) => `${client} after ${(afterMs / 1_000).toFixed(1)} s`),
    ],
  );
  const elsewhere = seen.closed.bodies.filter((body) => body.taken && !isGmail(body));
  yield exactly("providers: sent elsewhere meanwhile", elsewhere.length, people, "mails");
  const taken = seen.whole.bodies.filter((body) => body.taken).map(({ to }) => to);
  const got = new Set(taken);
  const lost = campaign.people.filter((to) => !got.has(to));
  const settled = seen.isDone ? "all was settled" : "not all was settled in time";
  yield exactly("providers: lost", lost.length, 0, "recipients", [settled, ...lost.slice(0, 5)]);
  yield exactly("providers: doubled", taken.length - got.size, 0, "recipients");
}
