import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { startPool } from "../../../test/support/smtp/pool.ts";
import { until } from "../../../test/support/until.ts";
import { createReconnectDelay } from "./reconnect-delay.ts";
import type { SmtpOutcome } from "./smtp.ts";

const body = Buffer.from("Subject: hello\r\n\r\nHello.\r\n");
const envelope = { from: "from@example.org", to: ["to@example.net"] };
const message = { envelope, body };
const kindsOf = (outcomes: readonly SmtpOutcome[]) => outcomes.map(({ kind }) => kind);

describe("a connection", () => {
  test("sends the envelope in one write, and the body with its dot in another", async (t) => {
    const { pool, server } = await startPool(t);
    await pool.send(message);
    assert.deepEqual(server.reads.slice(1), [
      "MAIL FROM:<from@example.org> SIZE=26\r\nRCPT TO:<to@example.net>\r\nDATA\r\n",
      `${body}.\r\n`,
    ]);
  });

  test("waits for each reply where PIPELINING isn't offered", async (t) => {
    const { pool, server } = await startPool(t, { EHLO: "250 test" });
    await pool.send(message);
    assert.deepEqual(server.reads.slice(1), [
      "MAIL FROM:<from@example.org>\r\n",
      "RCPT TO:<to@example.net>\r\n",
      "DATA\r\n",
      `${body}.\r\n`,
    ]);
  });

  test("falls back to HELO", async (t) => {
    const { pool, server } = await startPool(t, { EHLO: "502 what" });
    assert.equal((await pool.send(message)).kind, "accepted");
    assert.deepEqual(server.lines.slice(0, 2), ["EHLO tests.example", "HELO tests.example"]);
  });

  test("ends a body without a final line break with one", async (t) => {
    const { pool, server } = await startPool(t);
    await pool.send({ envelope, body: Buffer.from("Subject: x\r\n\r\nno end") });
    assert.deepEqual(server.messages.map(String), ["Subject: x\r\n\r\nno end\r\n"]);
  });

  test("says RSET before the next message where a transaction was left open", async (t) => {
    const { pool, server } = await startPool(t, {
      RCPT: ["550 no", "250 ok"],
      DATA: ["503 no", "354 go on"],
    });
    assert.deepEqual(kindsOf([await pool.send(message), await pool.send(message)]), ["rejected", "accepted"]);
    assert.deepEqual(server.lines.slice(4, 6), ["RSET", "MAIL FROM:<from@example.org> SIZE=26"]);
    assert.equal(server.connections(), 1);
  });

  test("says RSET also where PIPELINING isn't offered", async (t) => {
    const { pool, server } = await startPool(t, { EHLO: "250 test", RCPT: ["550 no", "250 ok"] });
    assert.deepEqual(kindsOf([await pool.send(message), await pool.send(message)]), ["rejected", "accepted"]);
    assert.deepEqual(server.lines.slice(3, 5), ["RSET", "MAIL FROM:<from@example.org>"]);
  });

  test("that refuses RSET is replaced", async (t) => {
    const script = { RCPT: ["550 no", "250 ok"], DATA: ["503 no", "354 go on"], RSET: "500 what" };
    const { pool, server } = await startPool(t, script);
    assert.deepEqual(kindsOf([await pool.send(message), await pool.send(message)]), ["rejected", "accepted"]);
    assert.equal(server.connections(), 2);
  });

  test("carries as many messages as it may, then says QUIT", async (t) => {
    const { pool, server } = await startPool(t, {}, { maxMessagesPerConnection: 2 });
    for (let count = 0; count < 3; count++) await pool.send(message);
    assert.equal(server.connections(), 2);
    assert.equal(server.lines.filter((line) => line === "QUIT").length, 1);
  });

  test("is closed with QUIT when it has been idle", async (t) => {
    const { pool, server } = await startPool(t, {}, { idleCloseMs: 5 });
    const quit = server.next("QUIT");
    await pool.send(message);
    await quit;
    assert.equal(pool.stats().open, 0);
  });

  test("that the server closed while it was idle is replaced", async (t) => {
    const { pool, server } = await startPool(t, { dot: ["250 ok", "250 ok"] });
    const dot = server.next("dot");
    await pool.send(message);
    const [peer] = (await dot) as [Socket];
    peer.end("421 idle for too long\r\n");
    await until(() => pool.stats().open === 0);
    assert.equal((await pool.send(message)).kind, "accepted");
    assert.equal(server.connections(), 2);
  });

  for (const [how, act] of [
    ["closes it", (peer: Socket) => peer.end()],
    ["resets it", (peer: Socket) => peer.resetAndDestroy()],
    ["says 421", "421 too many messages"],
  ] as const) {
    test(`used before, whose server ${how} at MAIL: the message goes over a fresh one`, async (t) => {
      const { pool, server } = await startPool(t, { MAIL: ["250 ok", act, "250 ok"] });
      assert.deepEqual(kindsOf([await pool.send(message), await pool.send(message)]), [
        "accepted",
        "accepted",
      ]);
      assert.equal(server.connections(), 2);
      assert.equal(server.messages.length, 2);
    });
  }

  test("lost at MAIL twice in a row is lost: a message is tried again once only", async (t) => {
    const drop = (peer: Socket) => peer.end();
    const { pool, server } = await startPool(t, { MAIL: ["250 ok", drop] });
    assert.deepEqual(kindsOf([await pool.send(message), await pool.send(message)]), [
      "accepted",
      "unreachable",
    ]);
    assert.equal(server.connections(), 2);
  });

  test("lost after MAIL was answered is lost, even if it was used before", async (t) => {
    const { pool, server } = await startPool(t, { RCPT: ["250 ok", (peer: Socket) => peer.end()] });
    const outcomes = [await pool.send(message), await pool.send(message)];
    assert.deepEqual(kindsOf(outcomes), ["accepted", "unreachable"]);
    assert.equal(outcomes[1]?.phase, "rcpt");
    assert.equal(server.connections(), 1);
  });

  test("is made for a message that met a dead one, even while others wait", async (t) => {
    const script = { MAIL: ["250 ok", (peer: Socket) => peer.end(), "250 ok"] };
    const { pool, server } = await startPool(t, script, { maxConnections: 1 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => pool.send(message)));
    assert.deepEqual(new Set(kindsOf(outcomes)), new Set(["accepted"]));
    assert.equal(server.messages.length, 20);
  });

  test("withdrawn while it waits for a fresh connection, a message is not sent", async (t) => {
    const script = {
      MAIL: ["250 ok", (peer: Socket) => peer.end()],
      greeting: ["220 test", () => undefined],
    };
    const { pool, server } = await startPool(t, script);
    await pool.send(message);
    const abort = new AbortController();
    const greeting = server.next("greeting");
    const sent = pool.send({ ...message, signal: abort.signal });
    const [peer] = (await greeting) as [Socket];
    abort.abort();
    assert.equal((await sent).kind, "withdrawn");
    peer.write("220 test\r\n");
    await until(() => pool.stats().idle === 1);
    assert.equal(server.messages.length, 1);
  });

  test("given up under a message whose hook is still open: the second one waits for the same answer", async (t) => {
    const { pool, server } = await startPool(t, { MAIL: ["250 ok", (peer: Socket) => peer.end(), "250 ok"] });
    await pool.send(message);
    const answer = Promise.withResolvers<Buffer>();
    let asked = 0;
    const beforeBody = () => {
      asked++;
      return answer.promise;
    };
    const sent = pool.send({ envelope, beforeBody });
    await server.next("DATA");
    answer.resolve(body);
    assert.equal((await sent).kind, "accepted");
    assert.equal(asked, 1);
  });
});

describe("the pool", () => {
  test("opens no more connections than it may, and sends everything once", async (t) => {
    const { pool, server } = await startPool(t, {}, { maxConnections: 3 });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => pool.send(message)));
    assert.deepEqual(new Set(kindsOf(outcomes)), new Set(["accepted"]));
    assert.equal(server.messages.length, 50);
    assert.ok(server.connections() <= 3);
  });

  test("opens one connection first, and no more at a time than are open", async (t) => {
    const greeted: Socket[] = [];
    const { pool, server } = await startPool(t, {
      greeting: (peer: Socket) => greeted.push(peer),
      dot: () => undefined,
    });
    const greeting = server.next("greeting");
    for (let count = 0; count < 20; count++) void pool.send(message);
    assert.deepEqual(pool.stats(), { opening: 1, open: 0, idle: 0, busy: 0, waiting: 20 });
    await greeting;
    for (const [open, opening] of [
      [1, 1],
      [2, 2],
      [4, 4],
      [8, 2],
      [10, 0],
    ]) {
      // biome-ignore format: a table
      for (const peer of greeted.splice(0)) peer.write("220 test\r\n");
      await until(() => pool.stats().open === open && greeted.length === opening);
      assert.equal(pool.stats().opening, opening);
    }
    assert.equal(pool.stats().waiting, 10);
  });

  test("lets messages wait for the connections there are when another can't be opened", async (t) => {
    const script = { greeting: ["220 test", "421 too many"] };
    const { pool } = await startPool(t, script, { maxConnections: 4 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => pool.send(message)));
    assert.deepEqual(new Set(kindsOf(outcomes)), new Set(["accepted"]));
  });

  test("lets all that wait share the failure of the only attempt", async (t) => {
    const { pool, server } = await startPool(t, { greeting: "554 5.7.1 go away" });
    const outcomes = await Promise.all([pool.send(message), pool.send(message), pool.send(message)]);
    for (const { kind, phase, code } of outcomes) {
      assert.deepEqual([kind, phase, code], ["rejected", "greeting", 554]);
    }
    assert.equal(server.connections(), 1);
  });

  test("makes no attempt before its back-off is over", async (t) => {
    let nowMs = 0;
    const options = {
      maxConnections: 1,
      backOff: { firstMs: 1_000, maxMs: 9_000 },
      random: () => 1,
      clock: { monotonicMs: () => nowMs },
    };
    const { pool, server } = await startPool(t, { greeting: ["421 later", "220 test"] }, options);
    assert.equal((await pool.send(message)).kind, "deferred");
    const second = pool.send(message);
    assert.deepEqual(pool.stats(), { opening: 0, open: 0, idle: 0, busy: 0, waiting: 1 });
    nowMs = 1_000;
    const third = pool.send(message); // The pool looks at the clock again here.
    assert.deepEqual(kindsOf([await second, await third]), ["accepted", "accepted"]);
    assert.equal(server.connections(), 2);
  });

  test("waits longer with each failure, by chance between half and the whole", () => {
    let nowMs = 0;
    let chance = 0;
    const backOff = createReconnectDelay({ firstMs: 100, maxMs: 1_000 }, () => nowMs, () => chance); // biome-ignore format: one line
    const waits: number[] = [];
    for (const next of [0, 1, 0.5, 0, 1, 1]) {
      chance = next;
      backOff.failed();
      backOff.failed(); // A failure at the same time counts once.
      waits.push(backOff.waitMs());
      nowMs += backOff.waitMs();
    }
    assert.deepEqual(waits, [50, 200, 300, 400, 1_000, 1_000]);
    backOff.failed();
    nowMs += 400;
    assert.equal(backOff.waitMs(), 600);
    backOff.succeeded();
    assert.equal(backOff.waitMs(), 0);
  });

  test("that can't carry thousands of messages refuses them without a deep stack", async (t) => {
    const { pool, server } = await startPool(t, { EHLO: "250 test" }, { maxConnections: 1 });
    const eai = { envelope: { ...envelope, to: ["é@example.net"] }, body };
    const outcomes = await Promise.all(Array.from({ length: 20_000 }, () => pool.send(eai)));
    assert.deepEqual(new Set(outcomes.map(({ enhanced }) => enhanced)), new Set(["5.6.7"]));
    assert.equal(server.lines.filter((line) => line.startsWith("MAIL")).length, 0);
  });

  test("closed while it connects withdraws what waits", async (t) => {
    const { pool, server } = await startPool(t, { greeting: () => undefined });
    const greeting = server.next("greeting");
    const sent = pool.send(message);
    await greeting;
    await pool.close();
    assert.equal((await sent).kind, "withdrawn");
    assert.deepEqual(pool.stats(), { opening: 0, open: 0, idle: 0, busy: 0, waiting: 0 });
  });
});

describe("looking ahead", () => {
  const ahead = { lookAhead: true, maxConnections: 1 };

  test("sends the next envelope in one write with the dot", async (t) => {
    const { pool, server } = await startPool(t, {}, ahead);
    const outcomes = await Promise.all([pool.send(message), pool.send(message)]);
    assert.deepEqual(kindsOf(outcomes), ["accepted", "accepted"]);
    const flight = "MAIL FROM:<from@example.org> SIZE=26\r\nRCPT TO:<to@example.net>\r\nDATA\r\n";
    assert.deepEqual(server.reads.slice(1), [flight, `${body}.\r\n${flight}`, `${body}.\r\n`]);
  });

  test("a connection lost at the dot leaves that message ambiguous, and sends the next over a fresh one", async (t) => {
    const { pool, server } = await startPool(t, { dot: [(peer: Socket) => peer.destroy(), "250 ok"] }, ahead);
    const outcomes = await Promise.all([pool.send(message), pool.send(message)]);
    assert.deepEqual(kindsOf(outcomes), ["ambiguous", "accepted"]);
    assert.equal(server.connections(), 2);
  });

  test("a 421 to the dot defers that message alone", async (t) => {
    const { pool } = await startPool(t, { dot: ["421 enough", "250 ok"] }, ahead);
    const outcomes = await Promise.all([pool.send(message), pool.send(message)]);
    assert.deepEqual(kindsOf(outcomes), ["deferred", "accepted"]);
  });

  test("a cut takes back the next and lets the dot have its reply; the next has no body", async (t) => {
    const { pool, server } = await startPool(t, { dot: () => undefined }, ahead);
    const dot = server.next("dot");
    const [first, second] = [pool.send(message), pool.send(message)];
    const [peer] = (await dot) as [Socket];
    pool.cut();
    assert.equal((await second).kind, "withdrawn");
    const closed = server.next("close");
    peer.write("250 ok\r\n");
    assert.equal((await first).kind, "accepted");
    await closed;
    assert.equal(server.messages.length, 1);
  });

  test("each reply belongs to its own message", async (t) => {
    const script = { RCPT: ["250 ok", "550 no", "250 ok"], dot: ["451 later", "554 nobody", "250 ok"] };
    const { pool } = await startPool(t, script, ahead);
    const outcomes = await Promise.all([pool.send(message), pool.send(message), pool.send(message)]);
    assert.deepEqual(kindsOf(outcomes), ["deferred", "rejected", "accepted"]);
  });
});
