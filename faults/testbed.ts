/** Sets up what a fault needs: a database with its jobs, a receiving server, and senders in processes of their own. */
import { fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { listRecipients } from "../src/delivery/delivery.ts";
import { sql } from "../src/platform/db/db.ts";
import { type Bench, createBench, type TestLaunch } from "../test/support/delivery.ts";
import { countFlowsTwice } from "../test/support/reputation.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { type Sink, type SinkLog, startSink } from "../test/support/sink/sink.ts";
import { until } from "../test/support/until.ts";
import { miscountedUsage } from "../test/support/usage.ts";
import { exactly } from "./fault.ts";
import { type Cut, ranMs, type Stall } from "./judge.ts";
import type { SenderConfig } from "./sender-process.ts";

export type Campaign = {
  readonly id: string;
  readonly people: readonly string[];
  /** The ids of the subscribers, in the order of `people`. */
  readonly subscribers: readonly string[];
};

/** Says when and how a process ended. `point` is where it killed itself. */
export type Ended = Cut & {
  readonly pid: number;
  readonly code: number | null;
  readonly point: string | null;
};

export type SenderProcess = {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
};

export type Testbed = {
  readonly bench: Bench;
  readonly sink: Sink;
  /** Creates a list of its own, and launches a campaign to everybody on it. */
  launch(people: number | readonly string[], more?: Partial<TestLaunch>): Promise<Campaign>;
  /** Returns once the sender is ready. */
  startSender(more?: Partial<SenderConfig>): Promise<SenderProcess>;
  /**
   * Waits until the campaign's source says that it has ended, which only tells when to look at the log. Returns false
   * when nothing has changed for `quietMs`.
   */
  ends(campaign: Campaign, quietMs: number): Promise<boolean>;
  pauses(campaign: Campaign, quietMs: number): Promise<boolean>;
  stateOf(campaign: Campaign): Promise<{ state: string; reason: string | null }>;
  /** Returns the addresses with this status, by the pages of the API. */
  whoIs(campaign: Campaign, status: "unknown" | "failed" | "skipped" | "sent"): Promise<string[]>;
  /** Returns the counts by provider that differ from a recount of the ledger in the same snapshot. */
  miscounted(): Promise<string[]>;
  /** Returns how long after each end another sender took over; Infinity where none did. */
  takenOverMs(ended: readonly Ended[]): Promise<number[]>;
  /** Returns the times in which this process was kept from running, and with it, mostly, all that it started. */
  stalls(): readonly Stall[];
  stop(): Promise<void>;
};

let campaigns = 0;
let senders = 0;

/** Makes people at many domains, because no domain may use all connections. */
function makePeople(count: number): string[] {
  const name = `c${++campaigns}`;
  return Array.from({ length: count }, (_, n) => `person${n}@${name}-${n % DOMAINS}.example`);
}

const DOMAINS = 10;

export async function createTestbed(bench?: Bench): Promise<Testbed> {
  const [sink, ground] = await Promise.all([startSink(), bench ?? startBench()]);
  const running = new Set<SenderProcess>();
  const stalls = watchStalls();

  async function stateOf({ id }: Campaign) {
    return ground.db.one<{ state: string; reason: string | null }>(
      sql`select state, reason from sources where account_id = ${ground.accountId} and id = ${id}`,
    );
  }

  return {
    bench: ground,
    sink,
    async launch(given, more = {}) {
      const people = typeof given === "number" ? makePeople(given) : given;
      const listId = await ground.addList();
      const subscribers = await ground.addSubscribers(people, listId);
      const id = await ground.launch({ audience: { listId, segmentId: null }, ...more });
      return { id, people, subscribers };
    },
    async startSender(more = {}) {
      const config: SenderConfig = {
        databaseUrl: ground.url,
        port: sink.port,
        name: `s${++senders}.example`,
        connections: 8,
        firstRetryMs: 500,
        credentials: null,
        dieAt: null,
        ...more,
      };
      const sender = await startProcess(config);
      running.add(sender);
      sender.ended.then(() => running.delete(sender));
      return sender;
    },
    ends: (campaign, quietMs) =>
      comes(sink, async () => ["finished", "failed"].includes((await stateOf(campaign)).state), quietMs),
    pauses: (campaign, quietMs) =>
      comes(sink, async () => (await stateOf(campaign)).state === "paused", quietMs),
    stateOf,
    async whoIs({ id }, status) {
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await listRecipients(ground.db, ground.accountId, id, { status, limit: 1_000, after });
        found.push(...page.map(({ email }) => email ?? ""));
        if (page.length < 1_000) return found;
        after = page.at(-1)?.contactId;
      }
    },
    async miscounted() {
      const { told, counted } = await countFlowsTwice(ground.db, ground.accountId);
      const keys = Object.keys({ ...told, ...counted }).filter((key) => told[key] !== counted[key]);
      const nowhere = await ground.db.many<{ id: string }>(
        sql`select contact_id as id from deliveries where state = 'sent' and flow_id is null limit 5`,
      );
      if (nowhere.length > 0) keys.push(...nowhere.map(({ id }) => `${id} was sent in no flow`));
      const flows = keys.map((key) => `${key}: ${told[key] ?? 0}, and ${counted[key] ?? 0} in the ledger`);
      return [...flows, ...(await miscountedUsage(ground.db))];
    },
    async takenOverMs(ended) {
      const read = async () => {
        const rows = await ground.db.many<{ pid: number; at: Date | null }>(
          sql`select pid, taken_over_at as at from workers where kind = 'sender'`,
        );
        return ended.map(({ pid, atMs }) => {
          const at = rows.findLast((row) => row.pid === pid)?.at;
          return at ? ranMs(atMs, at.getTime(), stalls.seen()) : Number.POSITIVE_INFINITY;
        });
      };
      // A sender that died without a lease holds nothing up: all mail may have been sent before it is taken over.
      const isKnown = async () => (await read()).every(Number.isFinite);
      await until(isKnown, TAKEN_OVER_WITHIN_MS).catch(() => undefined);
      return read();
    },
    stalls: stalls.seen,
    async stop() {
      stalls.stop();
      for (const sender of running) sender.signal("SIGKILL");
      await Promise.all([...running].map(({ ended }) => ended));
      await sink.stop();
      await ground.stop();
    },
  };
}

/** Holds all counts against a recount of the ledger, whatever was broken. */
export async function* reportCounts(name: string, testbed: Testbed): AsyncIterable<Result> {
  const miscounted = await testbed.miscounted();
  yield exactly(`${name}: counts that differ`, miscounted.length, 0, "counts", miscounted.slice(0, 5));
}

const TAKEN_OVER_WITHIN_MS = 20_000;

/** Returns the part of the log that is about one campaign. */
export function onlyTo(log: SinkLog, { people }: Pick<Campaign, "people">): SinkLog {
  const own = new Set(people);
  return { ...log, bodies: log.bodies.filter(({ to }) => own.has(to)) };
}

/** Waits for a condition as long as new bodies come, and `quietMs` longer; returns whether it was met. */
export async function comes(sink: Sink, isThere: () => Promise<boolean>, quietMs: number): Promise<boolean> {
  let begun = 0;
  let deadline = performance.now() + quietMs;
  while (performance.now() < deadline) {
    // While the database is away, the condition can't be checked.
    if (await isThere().catch(() => false)) return true;
    const now = (await sink.count()).begun;
    if (now > begun) deadline = performance.now() + quietMs;
    begun = now;
    await sleep(50);
  }
  return false;
}

const STALL_LOOK_MS = 50;
const STALL_MS = 300;

/** Notes when the machine does so much else that nothing of ours runs. */
export function watchStalls(): { seen(): readonly Stall[]; stop(): void } {
  const stalls: Stall[] = [];
  let lastMs = nowMs();
  const timer = setInterval(() => {
    const now = nowMs();
    if (now - lastMs > STALL_MS) stalls.push({ fromMs: lastMs, untilMs: now });
    lastMs = now;
  }, STALL_LOOK_MS);
  return { seen: () => stalls, stop: () => clearInterval(timer) };
}

/** Describes stalls, to be shown below a figure that is a time. */
export function describeStalls(stalls: readonly Stall[]): string {
  const seconds = stalls.map(({ fromMs, untilMs }) => (untilMs - fromMs) / 1_000);
  const total = seconds.reduce((sum, one) => sum + one, 0);
  return `the machine stood still ${seconds.length} times, for ${total.toFixed(1)} s in all, which don't count`;
}

async function startBench(): Promise<Bench> {
  const bench = await createBench({ hasRelay: true });
  // A relay that misbehaves here refuses more people for good than a guardrail lets pass; these have tests of their own.
  await bench.db.execute(sql`update accounts set guardrails = '{"hard_bounce_after_mails": 1000000000}'`);
  await bench.startJobs();
  return bench;
}

async function startProcess(config: SenderConfig): Promise<SenderProcess> {
  const program = join(import.meta.dirname, "sender-process.ts");
  const child = fork(program, [JSON.stringify(config)], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const pid = child.pid ?? 0;
  const ready = Promise.withResolvers<void>();
  let signalledMs: number | undefined;
  let point: string | null = null;
  createInterface({ input: child.stdout as Readable }).on("line", (line) => {
    const [what, where, atMs] = line.split(" ");
    if (what === "ready") ready.resolve();
    if (what !== "dying") return;
    point = where ?? null;
    signalledMs = Number(atMs);
  });
  // This waits for "close" rather than "exit", because the last output may arrive after the end.
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      ready.resolve();
      resolve({ client: config.name, pid, atMs: signalledMs ?? nowMs(), code, point });
    });
  });
  await ready.promise;
  return {
    name: config.name,
    pid,
    ended,
    signal(name) {
      if (name === "SIGKILL") signalledMs ??= nowMs();
      child.kill(name);
    },
  };
}
