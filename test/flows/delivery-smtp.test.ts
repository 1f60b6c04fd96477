import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { pauseSource, resumeSource } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, type Bench, composeSimply, countTwice, createBench } from "../support/delivery.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

describe("delivery over SMTP", () => {
  let bench: Bench;
  let audience: { listId: string; segmentId: null };
  let named = 0;
  const servers: ScriptedServer[] = [];
  const senders: { stop(): Promise<void> }[] = [];
  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
  });
  beforeEach(async () => {
    await stopAll();
    audience = { listId: await bench.addList(), segmentId: null };
  });
  after(async () => {
    await stopAll();
    await bench.stop();
  });

  async function stopAll(): Promise<void> {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  }

  /** Starts a relay that follows the script, and a sender that uses it. */
  async function startRelay(script: Script = {}, connections = 4): Promise<ScriptedServer> {
    const server = await startScriptedServer(script);
    servers.push(server);
    const backOff = { firstMs: 10, maxMs: 50 };
    const relay = { host: "127.0.0.1", port: server.port, maxConnections: connections, backOff };
    senders.push(await bench.startSender(composeSimply, { relay, firstRetryMs: 100 }));
    return server;
  }

  const addPeople = (count: number, domain = `d${++named}.example`) =>
    bench.addSubscribers(
      Array.from({ length: count }, (_, n) => `person${n}@${domain}`),
      audience.listId,
    );
  const recipients = ({ lines }: ScriptedServer) =>
    lines.filter((line) => line.startsWith("RCPT")).map((line) => /<(.*)>/.exec(line)?.[1] ?? "");
  /** Returns the bodies without the lone dots for recipients whom the server refused before it asked for the body. */
  const bodies = ({ messages }: ScriptedServer) => messages.filter((message) => message.length > 0);
  const isEnded = (id: string) => until(() => bench.ended.has(id));

  test("everybody gets one message, with a Message-ID of their own, and the ledger has what the server said", async () => {
    const server = await startRelay({ dot: "250 2.0.0 queued as 4711" });
    await addPeople(600);
    const id = await bench.launch({ audience });
    await isEnded(id);
    assert.equal(bodies(server).length, 600);
    assert.equal(new Set(recipients(server)).size, 600);
    const messageIds = bodies(server).map((one) => /^Message-ID: (.*)$/m.exec(one.toString())?.[1]);
    assert.equal(new Set(messageIds).size, 600);
    assertAgree(await countTwice(bench, bench.accountId, id));
    const replies = await bench.db.many(
      sql`select distinct state, code, reply from deliveries where source_id = ${id}`,
    );
    assert.deepEqual(replies, [{ state: "sent", code: 250, reply: "250 2.0.0 queued as 4711" }]);
  });

  test("an address that this relay can't carry is skipped as invalid, and the others get their mail", async () => {
    const server = await startRelay({ EHLO: "250-test\r\n250-8BITMIME\r\n250 SIZE 200000" });
    const broken = `ada lovelace@d${++named}.example`;
    const eai = `jörg@d${named}.example`;
    await bench.addSubscribers([broken, eai, `ada@d${named}.example`], audience.listId);
    const id = await bench.launch({ audience });
    await isEnded(id);
    assert.deepEqual(recipients(server), [`ada@d${named}.example`]);
    const { sent, failed, skipped, bounces } = await bench.counts(id);
    assert.deepEqual([sent, failed, skipped.invalid, skipped.total, bounces.total], [1, 0, 2, 2, 0]);
    assertAgree(await countTwice(bench, bench.accountId, id));
    const rows = await bench.db.many<{ email: string; why: string; reply: string }>(sql`
      select s.email, d.why, d.reply from deliveries d join subscribers s on s.id = d.subscriber_id
      where d.source_id = ${id} and d.state = 'skipped' order by s.email`);
    assert.deepEqual(
      rows.map(({ email, why }) => [email, why]),
      [
        [broken, "invalid"],
        [eai, "invalid"],
      ],
    );
    assert.match(String(rows[1]?.reply), /no SMTPUTF8/);
    const { suppressed } = await bench.db.one<{ suppressed: number }>(
      sql`select count(*) as suppressed from suppressions where account_id = ${bench.accountId}`,
    );
    assert.equal(suppressed, 0);
  });

  test("a relay that doesn't let us in pauses the source; let in, it goes on with everybody", async () => {
    const server = await startRelay({ MAIL: "550 5.7.1 relaying denied" });
    await addPeople(60);
    const id = await bench.launch({ audience });
    await until(() => bench.ended.get(id)?.kind === "paused");
    assert.deepEqual(bench.ended.get(id), {
      kind: "paused",
      reason: "transport_rejected",
      detail: "550 5.7.1 relaying denied",
    });
    const { queued, failed } = await bench.counts(id);
    assert.deepEqual({ queued, failed }, { queued: 60, failed: 0 });
    const { suppressed } = await bench.db.one<{ suppressed: number }>(
      sql`select count(*) as suppressed from suppressions where account_id = ${bench.accountId}`,
    );
    assert.equal(suppressed, 0);
    await stopAll();
    assert.equal(bodies(server).length, 0);
    const better = await startRelay();
    bench.ended.delete(id);
    await bench.ctx((ctx) => resumeSource(ctx, id));
    await isEnded(id);
    assert.equal(bodies(better).length, 60);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("a policy that refuses everybody is about us, though it is said after RCPT", async () => {
    await startRelay({ dot: "554 5.7.1 message looks like spam" });
    await addPeople(45);
    const id = await bench.launch({ audience });
    await until(() => bench.ended.get(id)?.kind === "paused");
    const { queued, failed } = await bench.counts(id);
    assert.deepEqual({ queued, failed }, { queued: 45, failed: 0 });
  });

  test("a policy that refuses one among others fails that one, and suppresses nobody", async () => {
    const policy = "550 5.7.1 not wanted here";
    await startRelay({ RCPT: ["250 ok", policy, "250 ok"] }, 1);
    await addPeople(30);
    const id = await bench.launch({ audience });
    await isEnded(id);
    const { sent, failed, bounces } = await bench.counts(id);
    assert.deepEqual({ sent, failed, block: bounces.block }, { sent: 29, failed: 1, block: 1 });
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("refused connections cost no attempt, and once the relay is there everybody gets it", async () => {
    const reserved = await startScriptedServer();
    await reserved.close();
    const relay = { host: "127.0.0.1", port: reserved.port, backOff: { firstMs: 10, maxMs: 50 } };
    senders.push(await bench.startSender(composeSimply, { relay }));
    await addPeople(50);
    const id = await bench.launch({ audience });
    const attempts = () =>
      bench.db.many<{ state: string; attempt: number }>(
        sql`select distinct state, attempt from deliveries where source_id = ${id}`,
      );
    await until(async () => (await attempts()).some(({ state }) => state === "inflight"));
    await until(async () => (await attempts()).every(({ state }) => state === "ready"));
    assert.deepEqual(await attempts(), [{ state: "ready", attempt: 0 }]);
    await stopAll();
    const server = await startRelay();
    await isEnded(id);
    assert.equal(bodies(server).length, 50);
    assert.equal((await bench.counts(id)).sent, 50);
  });

  test("lost in the body, it is sent again soon; lost after the dot, again with the same Message-ID", async () => {
    const cut: Script = {
      DATA: [
        (peer) => {
          peer.write("354 go on\r\n");
          setTimeout(() => peer.destroy(), 5);
          return "body";
        },
        "354 go on",
      ],
      dot: [(peer) => peer.destroy(), "250 ok"],
    };
    const server = await startRelay(cut, 2);
    await addPeople(20);
    const id = await bench.launch({ audience });
    await isEnded(id);
    assert.equal((await bench.counts(id)).sent, 20);
    const ids = bodies(server).map((one) => /^Message-ID: (.*)$/m.exec(one.toString())?.[1]);
    assert.ok(bodies(server).length > 20, "the one that was taken back after its dot came again");
    assert.equal(new Set(ids).size, 20);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("a domain that asks for less waits without losing attempts, and others go on", async () => {
    let slow = 0;
    const server = await startRelay(
      {
        RCPT: (peer) => {
          const line = server.lines.at(-1) ?? "";
          const refuses = line.includes("@slow.example") && ++slow <= 12;
          peer.write(refuses ? "451 4.7.1 slow down\r\n" : "250 ok\r\n");
        },
      },
      8,
    );
    await addPeople(60, "slow.example");
    await addPeople(200);
    const id = await bench.launch({ audience });
    await isEnded(id);
    assert.equal((await bench.counts(id)).sent, 260);
    assert.equal(bodies(server).length, 260);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("paused while the relay thinks about DATA, no body leaves", async () => {
    const server = await startRelay({
      DATA: (peer) => {
        setTimeout(() => peer.write("354 go on\r\n"), 700);
        return "body";
      },
    });
    await addPeople(20);
    // The wait begins before the launch, because the command may come while the launch is being answered.
    const asked = server.next("DATA");
    const id = await bench.launch({ audience });
    await asked;
    await bench.ctx((ctx) => pauseSource(ctx, id));
    await until(async () => {
      const { inflight } = await bench.db.one<{ inflight: number }>(
        sql`select count(*) as inflight from deliveries where source_id = ${id} and state = 'inflight'`,
      );
      return inflight === 0;
    });
    assert.equal(bodies(server).length, 0);
    assert.equal((await bench.counts(id)).queued, 20);
  });

  test("the rate of the relay holds, whatever the number of senders", async () => {
    const server = await startScriptedServer();
    servers.push(server);
    const relay = { host: "127.0.0.1", port: server.port };
    for (let n = 0; n < 3; n++)
      senders.push(await bench.startSender(composeSimply, { relay, relayPerSecond: 40 }));
    await addPeople(100);
    const id = await bench.launch({ audience });
    const startedMs = performance.now();
    await isEnded(id);
    const seconds = (performance.now() - startedMs) / 1_000;
    assert.equal(bodies(server).length, 100);
    assert.ok(seconds > 2, `100 at 40 a second took ${seconds.toFixed(1)} s`);
  });

  test("a small account's mail isn't held up by a large one's, though both leave by the same slow relay", async () => {
    const server = await startScriptedServer();
    servers.push(server);
    const relay = { host: "127.0.0.1", port: server.port };
    senders.push(await bench.startSender(composeSimply, { relay, relayPerSecond: 100 }));
    await addPeople(1_200);
    const large = await bench.launch({ audience });
    await until(() => bodies(server).length > 20);
    const other = await bench.addAccount();
    const listId = await bench.addList(other);
    await bench.addSubscribers(["ada@small.example", "grace@small.example"], listId, other);
    const small = await bench.launch({ audience: { listId, segmentId: null } }, other);
    await isEnded(small);
    assert.ok(!bench.ended.has(large));
    assert.ok(bodies(server).length < 800, `${bodies(server).length} had left by then`);
    await bench.ctx((ctx) => pauseSource(ctx, large));
  });
});

describe("what a source was looked over for", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
  });
  after(() => bench.stop());

  test("is the sandbox: nothing of it leaves, though its sender has a relay by then", async () => {
    const server = await startScriptedServer({});
    const relay = { host: "127.0.0.1", port: server.port, maxConnections: 2 };
    const sender = await bench.startSender(composeSimply, { relay });
    await bench.addSubscribers(["ada@caught.example", "bob@caught.example"]);
    const id = await bench.launch({ isSandbox: true });
    await until(() => bench.ended.has(id));
    assert.equal((await bench.counts(id)).sent, 2);
    assert.deepEqual(server.messages, []);
    const { caught } = await bench.db.one<{ caught: number }>(
      sql`select count(*) as caught from sandbox_messages where owner_id = ${id}`,
    );
    assert.equal(caught, 2);
    await sender.stop();
    await server.close();
  });

  test("is a relay: a sender without one catches nothing of it and pauses it, and all get it from one that has it", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(["ada@relayed.example", "bob@relayed.example"], listId);
    const without = await bench.startSender(composeSimply, { relay: undefined });
    const id = await bench.launch({ isSandbox: false, audience: { listId, segmentId: null } });
    await until(() => bench.ended.has(id));
    assert.deepEqual(bench.ended.get(id), { kind: "paused", reason: "transport_missing" });
    assert.equal((await bench.counts(id)).queued, 2);
    await without.stop();
    const server = await startScriptedServer({});
    const relay = { host: "127.0.0.1", port: server.port, maxConnections: 2 };
    const sender = await bench.startSender(composeSimply, { relay });
    await bench.ctx((ctx) => resumeSource(ctx, id));
    await until(() => bench.ended.get(id)?.kind === "done");
    assert.equal((await bench.counts(id)).sent, 2);
    assert.equal(server.messages.length, 2);
    await sender.stop();
    await server.close();
  });
});
