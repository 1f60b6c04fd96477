/**
 * Kills the processes that lead people through automations with `kill -9`, while people come and go through waits, branches, tags, lists and
 * mails. One process always lives on. The judges are the journal, the ledger and the receiving server's log, held against each other.
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
import type { Fault, Setting } from "../fault.ts";
import { watchStalls } from "../testbed.ts";
import { judgeAutomation, type Killed } from "./judge-automation.ts";

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
const COME_AT_ONCE = 5;
const COME_EVERY_MS = 250;
const DONE_WITHIN_MS = 240_000;

const mail = (subject: string, next: string) => ({
  type: "email",
  subject,
  html: `<p>${subject}, {{ first_name }}.</p>`,
  from_email: "news@acme.example",
  next,
});

/** A wait can't be shorter than a minute. */
const nodesOf = (otherListId: string) => ({
  hello: mail("Hello", "asked"),
  asked: {
    type: "branch",
    ways: [{ if: { field: "first_name", op: "is", value: "Ada" }, next: "marked" }],
    else: "pause",
  },
  marked: { type: "tag", add: ["seen"], next: "again" },
  again: mail("Again", "pause"),
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
  const app = await createApp({
    settings: { ROLES: "api,sender", SMTP_URL: `smtp://127.0.0.1:${sink.port}?connections=8` },
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
    const nodes = nodesOf(otherListId);
    const automationId = await start(app, listId, nodes);
    const started = startWriter(app, listId);
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
    const people = await started.stop();
    setting.note(`${people} people came; waiting until all are through`);
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
  }
}

async function start(app: TestApp, listId: string, nodes: object): Promise<string> {
  const draft = { format: 1, start: "hello", entry: { on: [{ type: "list_joined" }] }, nodes };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Fault", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
  assert.equal(started.status, 200, started.text);
  return uuidOf("aut", made.body.id);
}

/** Some people come all the time, so that there is something to do at every kill. */
function startWriter(app: TestApp, listId: string): { written(): number; stop(): Promise<number> } {
  let written = 0;
  let isStopped = false;
  const writing = (async () => {
    while (!isStopped) {
      const subscribers = Array.from({ length: COME_AT_ONCE }, (_, at) => ({
        email: `person${written + at}@p${at}.example`,
        first_name: (written + at) % 2 === 0 ? "Ada" : "Bob",
        list_id: listId,
      }));
      const added = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
      assert.equal(added.status, 200, added.text);
      written += COME_AT_ONCE;
      await sleep(COME_EVERY_MS);
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

/** Whether everybody came, nobody is inside, and every mail was sent. */
async function allThrough(app: TestApp, automationId: string, people: number): Promise<boolean> {
  const { ended, open } = await app.db.one<{ ended: number; open: number }>(sql`
    select (select count(*) from automation_runs where automation_id = ${automationId} and state <> 'active') as ended,
           (select count(*) from deliveries where stream = 'automation' and state <> 'sent') as open`);
  return ended === people && open === 0;
}
