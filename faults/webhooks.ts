/**
 * Kills the process that delivers webhooks with `kill -9` at random moments. The judges are the receivers: every event must have come to
 * each of them, and always under the same `webhook-id`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { sql } from "../src/platform/db/db.ts";
import type { TestApp } from "../test/support/app.ts";
import { createRandom } from "../test/support/sink/sink.ts";
import { type Json, uuidOf } from "../test/support/subscribers.ts";
import { until } from "../test/support/until.ts";
import { createApiApp, type Endpoint, startEndpoint, writeEvents } from "../test/support/webhook-engine.ts";
import { makeWebhook } from "../test/support/webhooks.ts";
import { exactly, type Fault, type Setting } from "./fault.ts";

export const webhooksFault: Fault = {
  name: "webhooks",
  summary: "events posted to endpoints while the process that posts them is killed",
  run: (setting) => killDelivery(setting, { kills: setting.full ? 250 : 50 }),
};

/** So many messages of each endpoint are refused when they come for the first time; an ordered endpoint waits 5 s for each. */
const MOST_REFUSED = 5;
const REFUSED_PERCENT = 3;
const LONGEST_ANSWER_MS = 5;
/** The events that are written for each kill, so that some are on their way at any time and few are left at the end. */
const EVENTS_A_KILL = 60;
const LONGEST_LIFE_MS = 700;
const WRITTEN_AT_ONCE = 10;
const WRITTEN_EVERY_MS = 150;
const DONE_WITHIN_MS = 120_000;
/** There may be nothing to post until a retry is due. */
const FIRST_POST_WITHIN_MS = 6_000;

const KINDS = [
  { called: "plain", settings: {} },
  { called: "ordered", settings: { ordered: true } },
  { called: "in batches", settings: { batch_engagement: true } },
] as const;

type Receiver = {
  readonly called: string;
  readonly hook: Json;
  readonly endpoint: Endpoint;
  /** The numbers that were taken with a 200, in the order in which that was said. */
  readonly taken: readonly number[];
};

export async function* killDelivery(
  setting: Setting,
  { kills }: { readonly kills: number },
): AsyncIterable<Result> {
  const app = await createApiApp();
  const receivers = await Promise.all(KINDS.map((kind, at) => openReceiver(app, kind, setting.seed + at)));
  const random = createRandom(setting.seed + KINDS.length);
  let most = 0;
  const writer = startWriter(app, () => most);
  try {
    for (let nth = 1; nth <= kills; nth++) {
      most = nth * EVENTS_A_KILL;
      await killOne(app, receivers, random() * LONGEST_LIFE_MS);
      if (nth % 10 === 0) setting.note(`${nth} of ${kills} killed, ${writer.written()} events written`);
    }
    const written = await writer.stop();
    const last = await startWorker(app);
    const isDone = await until(() => allDone(app, receivers), DONE_WITHIN_MS).then(
      () => true,
      () => false,
    );
    await last.kill();
    yield exactly("webhooks, killed at random moments: killed", kills, kills, "processes", [
      `${written} events for each of ${receivers.length} endpoints; ${isDone ? "all was settled" : "not all was settled in time"}`,
    ]);
    for (const receiver of receivers) yield* judge(receiver, written);
  } finally {
    await writer.stop();
    await app.stop();
    for (const { endpoint } of receivers) await endpoint.close();
  }
}

async function openReceiver(
  app: TestApp,
  { called, settings }: (typeof KINDS)[number],
  seed: number,
): Promise<Receiver> {
  const random = createRandom(seed);
  const refused = new Set<string>();
  const taken: number[] = [];
  const endpoint = await startEndpoint(({ id, numbers }, response) => {
    const isRefused = refused.size < MOST_REFUSED && !refused.has(id) && random() * 100 < REFUSED_PERCENT;
    setTimeout(() => {
      if (isRefused) refused.add(id);
      else taken.push(...numbers);
      response.writeHead(isRefused ? 500 : 200).end();
    }, random() * LONGEST_ANSWER_MS);
  });
  const events = ["list.updated", "email.opened"];
  return {
    called,
    endpoint,
    taken,
    hook: await makeWebhook(app, { url: endpoint.url, events, ...settings }),
  };
}

/**
 * Writes a few events every now and then, each transaction of another type than the one before. It stops at `most` until that grows, so
 * that there is something for every process that is killed, however slow the machine is.
 */
function startWriter(app: TestApp, most: () => number): { written(): number; stop(): Promise<number> } {
  let written = 0;
  let isStopped = false;
  const writing = (async () => {
    while (!isStopped) {
      await sleep(WRITTEN_EVERY_MS);
      if (written >= most()) continue;
      const numbers = Array.from({ length: WRITTEN_AT_ONCE }, (_, at) => written + at + 1);
      const isOpen = (written / WRITTEN_AT_ONCE) % 2 === 1;
      await writeEvents(app, numbers, { type: isOpen ? "email.opened" : "list.updated" });
      written += WRITTEN_AT_ONCE;
    }
  })();
  return {
    written: () => written,
    async stop() {
      isStopped = true;
      await writing;
      return written;
    },
  };
}

/** A worker isn't killed before it has posted something. */
async function killOne(app: TestApp, receivers: readonly Receiver[], afterMs: number): Promise<void> {
  const posts = () => receivers.reduce((sum, { endpoint }) => sum + endpoint.posts.length, 0);
  const before = posts();
  const worker = await startWorker(app);
  await until(() => posts() > before, FIRST_POST_WITHIN_MS).catch(() => undefined);
  await sleep(afterMs);
  await worker.kill();
  // A dead process's endpoints are free after 20 s. They are freed now, since that time shows nothing.
  await app.db.execute(sql`update webhooks set leased_until = now() - interval '1 second'`);
}

async function startWorker(app: TestApp): Promise<{ kill(): Promise<void> }> {
  const file = join(import.meta.dirname, "webhook-process.ts");
  const child = spawn(process.execPath, [file, app.databaseUrl], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return {
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** Whether every endpoint's place is at the end of the log, and nothing waits for another try. */
async function allDone(app: TestApp, receivers: readonly Receiver[]): Promise<boolean> {
  const ids = receivers.map(({ hook }) => uuidOf("whk", hook["id"]));
  const { open } = await app.db.one<{ open: number }>(sql`
    select (select count(*) from events e join webhooks w on w.account_id = e.account_id
            where w.id = any(${ids}::uuid[]) and (e.xid, e.id) > (w.xid, w.event_id))
         + (select count(*) from webhook_deliveries where webhook_id = any(${ids}::uuid[]) and state = 'waiting') as open`);
  return open === 0;
}

function* judge({ called, endpoint, taken }: Receiver, written: number): Iterable<Result> {
  const name = `webhooks, ${called}`;
  const came = new Set(taken);
  const lost = Array.from({ length: written }, (_, at) => at + 1).filter((number) => !came.has(number));
  const idsOf = new Map<number, Set<string>>();
  const contentOf = new Map<string, Set<string>>();
  for (const { id, numbers, body } of endpoint.posts) {
    for (const number of numbers) (idsOf.get(number) ?? setIn(idsOf, number)).add(id);
    (contentOf.get(id) ?? setIn(contentOf, id)).add(JSON.stringify(body));
  }
  const several = [...idsOf].filter(([, ids]) => ids.size > 1).map(([number]) => String(number));
  const altered = [...contentOf].filter(([, contents]) => contents.size > 1).map(([id]) => id);
  const again = endpoint.posts.length - contentOf.size;
  yield exactly(`${name}: lost`, lost.length, 0, "events", lost.slice(0, 5).map(String));
  yield exactly(`${name}: came under several ids`, several.length, 0, "events", [
    `${endpoint.posts.length} posts, of which ${again} repeated one that had come before`,
    ...several.slice(0, 5),
  ]);
  yield exactly(
    `${name}: other content under the same id`,
    altered.length,
    0,
    "messages",
    altered.slice(0, 5),
  );
  if (called === "ordered") yield judgeOrder(name, taken);
}

/** An event may come again after a kill, but none comes for the first time before an earlier one. */
function judgeOrder(name: string, taken: readonly number[]): Result {
  let highest = 0;
  let overtaken = 0;
  for (const number of taken) {
    if (number > highest + 1) overtaken++;
    highest = Math.max(highest, number);
  }
  return exactly(`${name}: came before an earlier one`, overtaken, 0, "events");
}

function setIn<Key>(map: Map<Key, Set<string>>, key: Key): Set<string> {
  const fresh = new Set<string>();
  map.set(key, fresh);
  return fresh;
}
