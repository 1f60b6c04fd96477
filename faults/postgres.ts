/** Kills PostgreSQL while mail is sent, as `pg_ctl stop -m immediate` does, and starts it again after a while. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Result } from "../bench/harness/bench.ts";
import { migrateAll } from "../src/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/platform/db/embedded/embedded.ts";
import { createLog } from "../src/platform/log.ts";
import { createBench } from "../test/support/delivery.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { judge, ranMs } from "./judge.ts";
import { createTestbed, describeStalls } from "./testbed.ts";

export type OutageSizes = {
  readonly people: number;
  readonly awaySeconds: readonly number[];
};

export const postgresFault: Fault = {
  name: "postgres",
  summary: "PostgreSQL killed and back after 1, 20 and 60 s",
  async *run(setting) {
    yield* loseDatabase(setting, { people: setting.full ? 100_000 : 20_000, awaySeconds: [1, 20, 60] });
  },
};

const SENDERS = 2;

/** Makes all outages during one campaign, each after a different part of it. */
export async function* loseDatabase(setting: Setting, sizes: OutageSizes): AsyncIterable<Result> {
  const server = await startServer();
  const bench = await createBench({
    hasRelay: true,
    database: { url: await server.createDatabase(), drop: async () => undefined },
  });
  await bench.startJobs();
  const testbed = await createTestbed(bench);
  try {
    // The delay leaves something to send after the last outage.
    await testbed.sink.misbehave([{ at: "dot", delayMs: 5 }], setting.seed);
    const campaign = await testbed.launch(sizes.people);
    const senders = await Promise.all(Array.from({ length: SENDERS }, () => testbed.startSender()));
    const exits: number[] = [];
    for (const { ended } of senders) ended.then(({ pid }) => exits.push(pid));
    const outages: Outage[] = [];
    for (const [n, seconds] of sizes.awaySeconds.entries()) {
      const part = ((n + 0.5) / sizes.awaySeconds.length) * 0.8 * sizes.people;
      await testbed.sink.until("part of it is sent", ({ taken }) => taken >= part, 120_000);
      const atMs = nowMs();
      await server.kill();
      await sleep(seconds * 1_000);
      await server.start();
      const backMs = nowMs();
      outages.push({ seconds, atMs, backMs });
      setting.note(`PostgreSQL was away for ${((backMs - atMs) / 1_000).toFixed(1)} s`);
      const { begun } = await testbed.sink.count();
      await testbed.sink.until("it sends again", (now) => now.begun > begun, 60_000).catch(() => undefined);
    }
    await testbed.sink.misbehave([]);
    await testbed.ends(campaign, 60_000);
    const log = await testbed.sink.log();
    const circumstances = { slack: setting.slack, stalls: testbed.stalls() };

    for (const { seconds, atMs, backMs } of outages) {
      const name = `PostgreSQL away for ${seconds} s`;
      const cuts = senders.map(({ name: client }) => ({ client, atMs, upToMs: atMs + 500 }));
      const { onWire } = judge(log, [], cuts, circumstances);
      const next = log.bodies.find(({ begunMs }) => begunMs > backMs)?.begunMs ?? Number.POSITIVE_INFINITY;
      yield atMost(
        `${name}: sending again`,
        ranMs(backMs, next, testbed.stalls()) / 1_000,
        10 * setting.slack,
        "s",
        [describeStalls(testbed.stalls())],
      );
      // A message may begin within 200 ms of its admission, so those that begin a second later are wrong.
      const meanwhile = log.bodies.filter(({ begunMs }) => begunMs > atMs + 1_000 && begunMs < backMs);
      yield exactly(`${name}: bodies begun meanwhile`, meanwhile.length, 0, "bodies", [
        `${onWire} on the wire when it was killed`,
      ]);
    }
    const cuts = outages.flatMap(({ atMs }) =>
      senders.map(({ name }) => ({ client: name, atMs, upToMs: atMs + 500 })),
    );
    const verdict = judge(log, campaign.people, cuts, circumstances);
    const name = `PostgreSQL killed ${outages.length} times`;
    yield exactly(`${name}: lost`, verdict.lost.length, 0, "recipients", verdict.lost.slice(0, 5));
    yield atMost(`${name}: duplicates`, verdict.duplicates, verdict.onWire, "messages");
    const { unexcused, altered } = verdict;
    yield exactly(
      `${name}: duplicates of what wasn't on the wire`,
      unexcused.length,
      0,
      "messages",
      unexcused.slice(0, 5),
    );
    yield exactly(`${name}: duplicates that differ`, altered.length, 0, "messages", altered.slice(0, 5));
    const miscounted = await testbed.miscounted();
    yield exactly(
      `${name}: counts by provider and of usage that differ`,
      miscounted.length,
      0,
      "counts",
      miscounted.slice(0, 5),
    );
    yield exactly(`${name}: processes that exited`, exits.length, 0, "processes");
  } finally {
    await testbed.stop();
    await server.stop();
  }
}

type Outage = { readonly seconds: number; readonly atMs: number; readonly backMs: number };

type KillableServer = {
  createDatabase(): Promise<string>;
  /** Returns once the server is gone. Only `start` starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a server that flushes every commit to the disk, whatever the tests' own server does. */
async function startServer(): Promise<KillableServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "postrider-faults-"));
  const log = createLog({ level: "silent", pretty: false });
  const start = () => startEmbeddedPostgres({ dataDir, log, settings: { fsync: "on" } });
  let server: EmbeddedPostgres = await start();
  const { host, user } = server.connection;
  const urlOf = (name: string) => `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`;
  return {
    async createDatabase() {
      const admin = new pg.Client({ connectionString: urlOf("postgres") });
      await admin.connect();
      await admin.query("create database faults");
      await admin.end();
      await migrateAll(urlOf("faults"), log);
      return urlOf("faults");
    },
    async kill() {
      process.kill(server.pid, "SIGQUIT");
      await server.stop();
    },
    async start() {
      server = await start();
    },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
