/**
 * Kills the processes that lead people through automations with `kill -9`, while people come and go through waits, branches, tags, lists and
 * mails. They do what it waits for, buy, and come back. One process always lives on. The judges are the journal, the ledger and the receiving server's log, held against each other.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../bench/harness/bench.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../../test/support/app.ts";
import { nowMs } from "../../test/support/sink/log.ts";
import { createRandom, startSink } from "../../test/support/sink/sink.ts";
import { makeList, uuidOf } from "../../test/support/subscribers.ts";
import { until } from "../../test/support/until.ts";
import { startReceiver } from "../../test/support/webhooks.ts";
import type { Fault, Setting } from "../fault.ts";
import { watchStalls } from "../testbed.ts";
import { judgeAutomation, type Killed } from "./judge-automation.ts";
import { startPeople } from "./people.ts";

export const automationsFault: Fault = {
  name: "automations",
  summary: "people led through an automation while the processes that lead them are killed; --kills 200",
  run: (setting) => killWorkers(setting, { kills: setting.kills ?? (setting.full ? 1_000 : 200) }),
};

const LONGEST_LIFE_MS = 600;
/** Every second process is killed while it has a transaction open, if it has one within this time. */
const IN_TRANSACTION_WITHIN_MS = 1_500;
/** A transaction takes longer than this. */
const ASKED_EVERY_MS = 2;
/** While one process lives, others are loaded. */
const LOADED_AHEAD = 3;
const DONE_WITHIN_MS = 240_000;

const mail = (subject: string, next: string) => ({
  type: "email",
  subject,
  html: `<p>${subject}, {{ first_name }}.</p>`,
  from_email: "news@acme.example",
  next,
});

/** A wait can't be shorter than a minute. Whoever buys leaves wherever they are. */
const nodesOf = (otherListId: string, hookUrl: string) => ({
  hello: mail("Hello", "asked"),
  asked: {
    type: "branch",
    ways: [{ if: { field: "first_name", op: "is", value: "Ada" }, next: "marked" }],
    else: "pause",
  },
  marked: { type: "tag", add: ["seen"], next: "again" },
  again: mail("Again", "listening"),
  listening: {
    type: "wait_for",
    on: [{ type: "event", name: "read" }],
    timeout: "PT1M",
    // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
    then: "telling",
    else: "dealt",
  },
  telling: { type: "webhook", url: hookUrl, next: "dealt" },
  pause: { type: "wait", for: "PT1M", next: "dealt" },
  dealt: {
    type: "split",
    ways: [
      { percent: 50, next: "copied" },
      { percent: 50, next: "more" },
    ],
  },
  copied: { type: "list", action: "copy", list_id: otherListId, next: "more" },
  more: mail("More", "reached"),
  reached: { type: "goal", name: "Reached", next: "end" },
  end: { type: "end" },
});

export async function* killWorkers(
  setting: Setting,
  { kills }: { readonly kills: number },
): AsyncIterable<Result> {
  const sink = await startSink();
  const receiver = await startReceiver();
  const app = await createApp({
    settings: {
      ROLES: "api,sender",
      INTERNAL_HOSTS: "127.0.0.1",
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?connections=8`,
    },
    served: WITH_UNSUBSCRIBE,
    logLevel: "silent",
  });
  const writer: { stop?: () => Promise<number> } = {};
  const alive: Worker[] = [];
  const pool = startPool(app);
  const stalls = watchStalls();
  try {
    const random = createRandom(setting.seed);
    const listId = await makeList(app, { postal_address: "1 High Street, London N1 1AA" });
    const otherListId = await makeList(app, { name: "Others" });
    const nodes = nodesOf(otherListId, receiver.url);
    const automationId = await start(app, listId, nodes);
    const started = startPeople(app, listId, setting.seed);
    writer.stop = started.stop;
    alive.push(await pool.next(), await pool.next());
    const killed: Killed[] = [];
    for (let nth = 1; nth <= kills; nth++) {
      const [victim] = alive.splice(0, 1);
      assert.ok(victim);
      killed.push(await kill(app, victim, nth % 2 === 0, random() * LONGEST_LIFE_MS));
      alive.push(await pool.next());
      if (nth % 10 === 0) setting.note(`${nth} of ${kills} killed, ${started.written()} people came`);
    }
    await pool.stop();
    setting.note(`${started.written()} people came; waiting until all are through`);
    const people = await started.stop();
    const isDone = await until(() => allThrough(app, automationId, people), DONE_WITHIN_MS).then(
      () => true,
      () => false,
    );
    const log = await sink.log();
    yield* judgeAutomation(app, {
      automationId,
      nodes,
      otherListId,
      people,
      killed,
      log,
      posts: receiver.received,
      isDone,
      setting,
      stalls: stalls.seen(),
    });
  } finally {
    stalls.stop();
    await writer.stop?.();
    await pool.stop();
    for (const worker of alive) await worker.kill();
    await app.stop();
    await sink.stop();
    await receiver.close();
  }
}

async function start(app: TestApp, listId: string, nodes: object): Promise<string> {
  const entry = {
    on: [{ type: "list_joined" }, { type: "event", name: "came_back" }],
    reentry: { mode: "every_time" },
  };
  const draft = { format: 1, start: "hello", entry, exit: [{ event: "bought", as: "goal" }], nodes };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Fault", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
  assert.equal(started.status, 200, started.text);
  return uuidOf("aut", made.body.id);
}

type Worker = { readonly name: string; kill(): Promise<void> };
type Loaded = Worker & { begin(): Promise<void> };

/** Starts processes ahead of time, since loading the program takes a second of a processor, and hands out those that are loaded. */
function startPool(app: TestApp): { next(): Promise<Worker>; stop(): Promise<void> } {
  let started = 0;
  const loading = Array.from({ length: LOADED_AHEAD }, () => load(app, `worker ${started++}`));
  return {
    async next() {
      loading.push(load(app, `worker ${started++}`));
      const worker = await loading.shift();
      assert.ok(worker);
      await worker.begin();
      return worker;
    },
    async stop() {
      for (const worker of loading) await (await worker).kill();
    },
  };
}

async function load(app: TestApp, name: string): Promise<Loaded> {
  const file = join(import.meta.dirname, "worker-process.ts");
  const child = spawn(process.execPath, [file, app.databaseUrl, name], {
    stdio: ["pipe", "pipe", "inherit"],
    // Hundreds of processes compile the same files, which would be most of what the machine does.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "postrider-faults-compiled") },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const said = () => Promise.race([once(child.stdout, "data"), ended]);
  await said();
  return {
    name,
    async begin() {
      child.stdin.write("begin\n");
      await said();
    },
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

async function kill(app: TestApp, worker: Worker, inTransaction: boolean, afterMs: number): Promise<Killed> {
  const isOpen = async () => {
    const { open } = await app.db.one<{ open: number }>(sql`
      select count(*) as open from pg_stat_activity
      where application_name = ${worker.name} and backend_xid is not null`);
    return open > 0;
  };
  await sleep(afterMs);
  const untilMs = performance.now() + IN_TRANSACTION_WITHIN_MS;
  let found = await isOpen();
  while (inTransaction && !found && performance.now() < untilMs) {
    await sleep(ASKED_EVERY_MS);
    found = await isOpen();
  }
  const atMs = nowMs();
  await worker.kill();
  return { atMs, inTransaction: found };
}

/** Whether everybody came and all that happened was read, nobody is inside, and every mail and post has left, or was taken back. */
async function allThrough(app: TestApp, automationId: string, people: number): Promise<boolean> {
  const found = await app.db.one<{ came: number; left: number }>(sql`
    select (select count(distinct subscriber_id) from automation_runs where automation_id = ${automationId}) as came,
           (select count(*) from automation_runs where automation_id = ${automationId} and state = 'active')
             + (select count(*) from events e join automation_feeds f using (account_id) where (e.xid, e.id) > (f.xid, f.event_id))
             + (select count(*) from automation_outbox where automation_id = ${automationId})
             + (select count(*) from deliveries where stream = 'automation' and state not in ('sent', 'skipped')) as left`);
  return found.came === people && found.left === 0;
}
