/** Sets up an instance that accounts share: the whole program in a process of its own, and a receiving server. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { percentile99 } from "../bench/harness/numbers.ts";
import { startProgram } from "../bench/harness/program.ts";
import { runOpenLoop } from "../bench/imports/open-loop.ts";
import { createAccount, createApiKey } from "../src/accounts/accounts.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createDb, sql } from "../src/platform/db/db.ts";
import { createLog } from "../src/platform/log.ts";
import { cloneDatabase } from "../test/support/database.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { type Sink, startSink } from "../test/support/sink/sink.ts";
import { judge } from "./judge.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Answer = { readonly status: number; readonly body: any };

/** An account with a key, and what it does through the API. */
type Account = {
  readonly key: string;
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Asks the API, where anything but success is a fault of the run itself. */
  must(method: string, path: string, body?: unknown): Promise<Answer["body"]>;
  /** Creates a list with these people on it. */
  addList(people: readonly (string | Person)[]): Promise<string>;
  makeCampaign(listId: string, more?: object): Promise<string>;
  /** Waits until the campaign's status is one of these, and returns the campaign. */
  comesTo(id: string, statuses: readonly string[], withinMs: number): Promise<Answer["body"]>;
};

type Person = { readonly email: string; readonly first_name?: string };

/** The result of a campaign of the others. */
export type Run = {
  readonly perSecond: number;
  readonly lost: readonly string[];
  readonly duplicates: number;
  /** The p99 of an ordinary request meanwhile. */
  readonly apiP99Ms: number;
};

export type SharedInstance = {
  readonly sink: Sink;
  readonly port: number;
  /** Sets rules of the shared server, in addition to what it always does. */
  misbehave(rules: Parameters<Sink["misbehave"]>[0]): Promise<void>;
  addAccount(): Promise<Account>;
  /** Runs the others' campaign, which is measured from its first mail to its last by the server's log. */
  runOthers(): Promise<Run>;
  stop(): Promise<void>;
};

/** A neighbour's `begin` returns a function that ends it and returns what must hold of it. */
export type Neighbour = {
  readonly name: string;
  readonly begin: (instance: SharedInstance) => Promise<() => Promise<readonly Result[]>>;
};

const PROGRAM = join(import.meta.dirname, "../bench/send/app-process.ts");
const SECRET_KEY = "a secret key for faults of 32 characters or more";
const CONNECTIONS = 20;
/** The server, not the machine, limits the others' mail, to 500 a second. Less is caused by a neighbour. */
const ACCEPT_AFTER_MS = 40;
const API_PER_SECOND = 20;
const A_BATCH = 1_000;
const DOMAINS = 50;
const OTHERS = /@others\d+\.example$/;
const ENDED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

export async function startSharedInstance(people: number): Promise<SharedInstance> {
  const database = await cloneDatabase();
  const folder = mkdtempSync(join(tmpdir(), "postrider-instance-"));
  const sink = await startSink();
  const always = { at: "dot", delayMs: ACCEPT_AFTER_MS } as const;
  await sink.misbehave([always]);
  const program = startProgram({
    file: PROGRAM,
    cwd: folder,
    env: {
      PORT: "0",
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      SECRET_KEY,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?connections=${CONNECTIONS}`,
      INTERNAL_HOSTS: "127.0.0.1",
      RETRY_AFTER_SECONDS: "2",
    },
  });
  const { port } = await program.hear((said) => (isPort(said) ? said : undefined));
  const log = createLog({ level: "silent", pretty: false });
  const db = createDb({
    connection: database.url,
    poolSize: 2,
    applicationName: "faults",
    log,
    statementTimeoutMs: 30_000,
  });

  async function addAccount(): Promise<Account> {
    const key = await db.transaction(async (tx) => {
      const account = await createAccount(tx, systemClock, { name: "A neighbour" });
      // Neighbours send more than a new account may.
      await tx.execute(sql`delete from account_probations where account_id = ${account.account_id}`);
      const actor = { kind: "system", id: null } as const;
      const ctx = { sql: tx, accountId: account.account_id, actor, clock: systemClock, log };
      const input = { name: "faults", scopes: ["full"], expiresAt: null, unlimited: true };
      return (await createApiKey(ctx, input)).key;
    });
    return accountOf(port, key);
  }

  const others = await addAccount();
  const recipients = Array.from({ length: people }, (_, n) => `person${n}@others${n % DOMAINS}.example`);
  const listId = await others.addList(recipients);

  return {
    sink,
    port,
    misbehave: (rules) => sink.misbehave([...rules, always]),
    addAccount,
    async runOthers() {
      const sinceMs = nowMs();
      const id = await others.makeCampaign(listId);
      let isOver = false;
      const loop = { port, key: others.key, perSecond: API_PER_SECOND, path: () => `/v1/campaigns/${id}` };
      const asking = runOpenLoop(loop, () => isOver);
      await others.must("POST", `/campaigns/${id}/send`);
      // A campaign that doesn't end has lost those whom the server's log doesn't name.
      await others.comesTo(id, ["sent", "paused", "failed"], ENDED_WITHIN_MS);
      isOver = true;
      const apiP99Ms = percentile99(await asking);
      const all = await sink.log();
      const bodies = all.bodies.filter((one) => one.begunMs >= sinceMs && OTHERS.test(one.to));
      const { lost, duplicates } = judge({ ...all, bodies }, recipients, []);
      const firstMs = Math.min(...bodies.map(({ rcptMs }) => rcptMs));
      const lastMs = Math.max(...bodies.map(({ repliedMs }) => repliedMs ?? 0));
      return { perSecond: (bodies.length / (lastMs - firstMs)) * 1_000, lost, duplicates, apiP99Ms };
    },
    async stop() {
      await program.stop();
      await sink.stop();
      await db.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isPort(said: unknown): said is { readonly port: number } {
  return typeof said === "object" && said !== null && "port" in said;
}

function accountOf(port: number, key: string): Account {
  const ask: Account["ask"] = async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const must: Account["must"] = async (method, path, body) => {
    const { status, body: answer } = await ask(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    key,
    ask,
    must,
    async addList(people) {
      const { id } = await must("POST", "/lists", {
        name: "A list",
        postal_address: "1 High SharedInstance, London",
      });
      const all = people.map((one) => ({ ...(typeof one === "string" ? { email: one } : one), list_id: id }));
      for (let from = 0; from < all.length; from += A_BATCH) {
        await must("POST", "/subscribers/batch", { subscribers: all.slice(from, from + A_BATCH) });
      }
      return id;
    },
    async makeCampaign(listId, more = {}) {
      const body = {
        name: "News",
        list_id: listId,
        subject: "News",
        html: "<p>News for {{ first_name }}</p>",
        from_email: "news@example.org",
        ...more,
      };
      return (await must("POST", "/campaigns", body)).id;
    },
    async comesTo(id, statuses, withinMs) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const campaign = await must("GET", `/campaigns/${id}`);
        if (statuses.includes(campaign.status) || performance.now() > deadline) return campaign;
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}
