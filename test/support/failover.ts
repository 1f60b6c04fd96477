/** What tests of failover share: servers, senders, and transports in the order of a stream. */
import type { Socket } from "node:net";
import { after, before, beforeEach } from "node:test";
import { setOrder } from "../../src/delivery/transports/orders.ts";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { type Bench, composeSimply, createBench, testSenderOptions } from "./delivery.ts";
import { type Relay, startRelay } from "./smtp/relay.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "./smtp/scripted-server.ts";
import { until } from "./until.ts";

export const CONNECTIONS = 4;
export const FAILOVER_MS = 15_000;
export const failoverTools = { secrets: testSenderOptions.secrets, internalHosts: ["127.0.0.1"] };

/** Must be called in a `describe`. Each test has an account of its own, and no servers but those that it starts. */
export function useFailover(options: { readonly clock?: Clock } = {}) {
  let bench: Bench;
  let accountId: string;
  let listId: string;
  let named = 0;
  const relays: Relay[] = [];
  const others: ScriptedServer[] = [];
  const senders: { stop(): Promise<void> }[] = [];
  before(async () => {
    bench = await createBench(options);
    await bench.startJobs(failoverTools);
  });
  beforeEach(async () => {
    await stopAll();
    accountId = await bench.addAccount();
    listId = await bench.addList(accountId);
  });
  after(async () => {
    await stopAll();
    await bench.stop();
  });

  async function stopAll(): Promise<void> {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
    for (const relay of relays.splice(0)) relay.kill();
    await Promise.all(others.splice(0).map((other) => other.close()));
  }

  async function start(options: object = {}, port?: number): Promise<Relay> {
    const relay = await startRelay({ authOptional: true, ...options }, port);
    relays.push(relay);
    return relay;
  }

  /** Starts a server that drops each connection at the final dot. */
  async function startLiar(onDrop: () => void): Promise<ScriptedServer> {
    const drop = (peer: Socket) => {
      onDrop();
      peer.destroy();
    };
    const liar = await startScriptedServer({ dot: drop });
    others.push(liar);
    return liar;
  }

  async function startScripted(script: Script): Promise<ScriptedServer> {
    const server = await startScriptedServer(script);
    others.push(server);
    return server;
  }

  const slowly = {
    onRcptTo: (_to: unknown, _session: unknown, done: () => void) => setTimeout(done, 20),
  };
  const send = async (count = 1, more = {}) => {
    const options = { internalHosts: ["127.0.0.1"], firstRetryMs: 500, ...more };
    for (let n = 0; n < count; n++) senders.push(await bench.startSender(composeSimply, options));
  };
  const ctx: Bench["ctx"] = (work) => bench.ctx(work, accountId);

  /** Makes a transport for each relay, and puts them into an order; returns their ids. */
  async function order(all: readonly { readonly port: number }[], more = {}): Promise<string[]> {
    const ids: string[] = [];
    for (const { port } of all) {
      const input = {
        name: `Relay ${ids.length + 1}`,
        host: "127.0.0.1",
        port,
        tls: "opportunistic" as const,
      };
      const row = await ctx((one) =>
        createTransport(one, failoverTools, {
          ...input,
          verify_certificate: false,
          max_connections: CONNECTIONS,
          ...more,
        }),
      );
      ids.push(row.id);
    }
    await ctx((one) =>
      setOrder(
        one,
        "campaign",
        ids.map((id) => toPublicId("trn", id)),
        false,
      ),
    );
    return ids;
  }

  async function addPeople(count: number): Promise<string[]> {
    const emails = Array.from({ length: count }, (_, n) => `person${n}@d${++named % 7}.example`);
    await bench.addSubscribers(emails, listId, accountId);
    return emails;
  }

  const launch = (more = {}) =>
    bench.launch(
      { audience: { listId, segmentId: null }, isSandbox: false, ownHost: "127.0.0.1", ...more },
      accountId,
    );
  const isEnded = (id: string) => until(() => bench.ended.get(id)?.kind === "done");
  const got = (...all: readonly Relay[]) =>
    all.flatMap(({ received }) => received.flatMap(({ to }) => to)).sort();
  const outOf = (id: string) =>
    bench.db.one<{
      out_since: Date | null;
      out_reason: string | null;
      out_tries: number;
      next_try_at: Date | null;
    }>(sql`select out_since, out_reason, out_tries, next_try_at from transports where id = ${id}`);
  const isOut = async (id: string) => (await outOf(id)).out_since !== null;
  const transportOf = async (sourceId: string) =>
    (await bench.db.one<{ id: string }>(sql`select transport_id as id from sources where id = ${sourceId}`))
      .id;
  const countEvents = async (type: string) =>
    (
      await bench.db.one<{ count: number }>(
        sql`select count(*) as count from events where account_id = ${accountId} and type = ${type}`,
      )
    ).count;
  const countAlerts = async (status: string) =>
    (
      await bench.db.one<{ count: number }>(sql`
        select count(*) as count from alerts where account_id = ${accountId} and kind = 'transport_out' and status = ${status}`)
    ).count;

  return {
    get bench() {
      return bench;
    },
    get accountId() {
      return accountId;
    },
    start,
    startLiar,
    startScripted,
    slowly,
    send,
    ctx,
    order,
    addPeople,
    launch,
    isEnded,
    got,
    outOf,
    isOut,
    transportOf,
    countEvents,
    countAlerts,
  };
}
