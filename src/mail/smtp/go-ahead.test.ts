/** Between 354 and the body the caller is asked, and between the dot and its reply nobody may interfere. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { startPool } from "../../../test/support/smtp/pool.ts";
import type { GoAhead } from "./smtp.ts";

const message = Buffer.from("Subject: hello\r\n\r\nHello.\r\n");
const envelope = { from: "from@example.org", to: ["to@example.net"] };
const large = Buffer.alloc(32 * 2 ** 20, "0123456789\r\n");
const unlimited = "250-test\r\n250 PIPELINING";

/** Makes a hook that keeps its calls in `asked`, each to be answered by the test. */
function createHook() {
  const asked: PromiseWithResolvers<GoAhead>[] = [];
  const beforeBody = () => {
    const answer = Promise.withResolvers<GoAhead>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, beforeBody };
}

/** This much time passes, by the pool's clock, between the answer and the 354. */
async function startPoolWithOldAnswer(t: TestContext, ageMs: number) {
  let nowMs = 0;
  const DATA = (peer: Socket) => {
    nowMs += ageMs;
    peer.write("354 go on\r\n");
    return "body";
  };
  return startPool(t, { DATA }, { clock: { monotonicMs: () => nowMs } });
}

describe("the go-ahead", () => {
  test("is asked for while the envelope travels, and the body waits for it", async (t) => {
    const { pool, server } = await startPool(t);
    const { asked, beforeBody } = createHook();
    const sent = pool.send({ envelope, beforeBody });
    await server.next("DATA");
    assert.equal(asked.length, 1);
    assert.deepEqual(server.messages, []);
    asked[0]?.resolve(message);
    assert.equal((await sent).kind, "accepted");
    assert.deepEqual(server.messages, [message]);
  });

  test("is asked for again when it is older than 200 ms at the 354", async (t) => {
    let asked = 0;
    const { pool, server } = await startPoolWithOldAnswer(t, 201);
    const body = () => Buffer.from(`Subject: ${++asked}\r\n\r\n`);
    assert.equal((await pool.send({ envelope, beforeBody: body })).kind, "accepted");
    assert.deepEqual(server.messages.map(String), ["Subject: 2\r\n\r\n"]);
  });

  test("is not asked for again when it is 200 ms old", async (t) => {
    let asked = 0;
    const { pool } = await startPoolWithOldAnswer(t, 200);
    await pool.send({ envelope, beforeBody: () => Buffer.from(`Subject: ${++asked}\r\n\r\n`) });
    assert.equal(asked, 1);
  });

  test("withheld after 354 closes the connection without a dot", async (t) => {
    let asked = 0;
    // The first answer is too old by then, so the hook is called again after the 354.
    const { pool, server } = await startPoolWithOldAnswer(t, 201);
    const closed = server.next("close");
    const outcome = await pool.send({ envelope, beforeBody: () => (++asked === 1 ? message : undefined) });
    assert.deepEqual([outcome.kind, outcome.phase, outcome.code, asked], ["withdrawn", "body", null, 2]);
    await closed;
    assert.equal(server.reads.at(-1)?.endsWith("DATA\r\n"), true);
  });

  test("withheld before 354 closes the connection too", async (t) => {
    const { pool, server } = await startPool(t, { DATA: () => undefined });
    const closed = server.next("close");
    const outcome = await pool.send({ envelope, beforeBody: () => undefined });
    assert.equal(outcome.kind, "withdrawn");
    await closed;
    assert.deepEqual(server.messages, []);
  });

  test("that throws reaches the caller as it is, and nothing is sent", async (t) => {
    const { pool, server } = await startPool(t);
    const thrown = new Error("no database");
    const closed = server.next("close");
    const beforeBody = () => {
      throw thrown;
    };
    await assert.rejects(pool.send({ envelope, beforeBody }), thrown);
    await closed;
    assert.deepEqual(server.messages, []);
  });

  test("is awaited before an outcome is told, so that none overtakes it", async (t) => {
    const { pool, server } = await startPool(t, { RCPT: "550 no" });
    const { asked, beforeBody } = createHook();
    let isTold = false;
    const sent = pool.send({ envelope, beforeBody }).finally(() => {
      isTold = true;
    });
    // This is a lone dot: all recipients were refused, and yet the server answered 354.
    await server.next("dot");
    assert.equal(isTold, false);
    asked[0]?.resolve(undefined);
    assert.equal((await sent).kind, "rejected");
  });

  test("with a bare line feed in the body is a bug, and nothing is sent", async (t) => {
    const { pool, server } = await startPool(t);
    const smuggled = Buffer.from("Subject: x\r\n\r\nhello\n.\nMAIL FROM:<evil@example.org>\r\n");
    await assert.rejects(pool.send({ envelope, beforeBody: () => smuggled }), TypeError);
    await assert.rejects(pool.send({ envelope, body: smuggled }), TypeError);
    assert.deepEqual(server.messages, []);
  });

  test("for an 8-bit body that its envelope knew nothing of is a bug", async (t) => {
    const { pool } = await startPool(t);
    const body = Buffer.from("Subject: x\r\n\r\né\r\n");
    await assert.rejects(pool.send({ envelope, beforeBody: () => body }), TypeError);
    const told = await pool.send({ envelope: { ...envelope, is8bit: true }, beforeBody: () => body });
    assert.equal(told.kind, "accepted");
  });

  test("for a body that is known is a yes or a no, at once or later, and asked for again when it is old", async (t) => {
    const { pool, server } = await startPoolWithOldAnswer(t, 201);
    let asked = 0;
    const mayBegin = () => ++asked > 0;
    assert.equal((await pool.send({ envelope, body: message, mayBegin })).kind, "accepted");
    assert.equal(asked, 2);
    const late = () => Promise.resolve(mayBegin());
    assert.equal((await pool.send({ envelope, body: message, mayBegin: late })).kind, "accepted");
    assert.equal(asked, 4);
    const onlyOnce = () => mayBegin() && asked % 2 === 1;
    const onlyOnceLate = () => Promise.resolve(onlyOnce());
    assert.equal((await pool.send({ envelope, body: message, mayBegin: onlyOnce })).kind, "withdrawn");
    assert.equal((await pool.send({ envelope, body: message, mayBegin: onlyOnceLate })).kind, "withdrawn");
    assert.equal(asked, 8);
    assert.deepEqual(server.messages, [message, message]);
  });

  test("that is withheld or throws for a known body reaches the caller, and nothing is sent", async (t) => {
    const { pool, server } = await startPool(t);
    const thrown = new Error("no");
    const throwing = () => {
      throw thrown;
    };
    const withheld = await pool.send({ envelope, body: message, mayBegin: () => false });
    assert.deepEqual([withheld.kind, withheld.text], ["withdrawn", "withdrawn before its body"]);
    await assert.rejects(pool.send({ envelope, body: message, mayBegin: throwing }), thrown);
    await assert.rejects(
      pool.send({ envelope, body: message, mayBegin: () => Promise.reject(thrown) }),
      thrown,
    );
    assert.deepEqual(server.messages, []);
  });

  test("for a body above the server's SIZE is rejected without a dot", async (t) => {
    const { pool, server } = await startPool(t);
    const outcome = await pool.send({ envelope, beforeBody: () => Buffer.alloc(200_001, "x") });
    assert.deepEqual([outcome.kind, outcome.enhanced, outcome.code], ["rejected", "5.3.4", null]);
    assert.deepEqual(server.messages, []);
  });
});

describe("a cut", () => {
  test("takes back what waits for its go-ahead", async (t) => {
    const { pool, server } = await startPool(t);
    const { asked, beforeBody } = createHook();
    const sent = pool.send({ envelope, beforeBody });
    await server.next("DATA");
    const closed = server.next("close");
    pool.cut();
    await closed;
    asked[0]?.resolve(message);
    assert.equal((await sent).kind, "withdrawn");
    assert.deepEqual(server.messages, []);
  });

  test("amid a body comes before the dot: not ambiguous", async (t) => {
    const { pool, server } = await startPool(t, { EHLO: unlimited, dot: "250 ok" });
    let dots = 0;
    const sent = pool.send({ envelope, beforeBody: () => large, onDot: () => dots++ });
    await server.next("DATA");
    await server.next("read");
    pool.cut();
    const outcome = await sent;
    assert.deepEqual([outcome.kind, outcome.phase, dots], ["withdrawn", "body", 0]);
  });

  test("leaves alone what awaits the reply to its dot", async (t) => {
    const { pool, server } = await startPool(t, { dot: () => undefined });
    let dots = 0;
    const sent = pool.send({ envelope, body: message, onDot: () => dots++ });
    const [peer] = (await server.next("dot")) as [Socket];
    assert.equal(dots, 1);
    pool.cut();
    peer.write("250 ok\r\n");
    assert.equal((await sent).kind, "accepted");
  });

  test("takes back what waits for a connection, and the pool goes on", async (t) => {
    const { pool, server } = await startPool(t, { dot: [() => undefined, "250 ok"] }, { maxConnections: 1 });
    const first = pool.send({ envelope, body: message });
    const [peer] = (await server.next("dot")) as [Socket];
    const second = pool.send({ envelope, body: message });
    pool.cut();
    assert.deepEqual([(await second).kind, (await second).phase], ["withdrawn", "waiting"]);
    peer.write("250 ok\r\n");
    assert.equal((await first).kind, "accepted");
    assert.equal((await pool.send({ envelope, body: message })).kind, "accepted");
  });

  test("of one message is its own signal's", async (t) => {
    const { pool, server } = await startPool(t);
    const [one, other] = [createHook(), createHook()];
    const abort = new AbortController();
    const first = pool.send({ envelope, beforeBody: one.beforeBody, signal: abort.signal });
    await server.next("DATA");
    const second = pool.send({ envelope, beforeBody: other.beforeBody });
    await server.next("DATA");
    abort.abort();
    one.asked[0]?.resolve(message);
    other.asked[0]?.resolve(message);
    assert.equal((await first).kind, "withdrawn");
    assert.equal((await second).kind, "accepted");
    assert.equal(server.messages.length, 1);
  });
});

describe("closing the pool", () => {
  test("makes what awaits the reply to its dot ambiguous", async (t) => {
    const { pool, server } = await startPool(t, { dot: () => undefined });
    const sent = pool.send({ envelope, body: message });
    await server.next("dot");
    await pool.close();
    assert.equal((await sent).kind, "ambiguous");
  });

  test("by drain awaits that reply, and says QUIT", async (t) => {
    const { pool, server } = await startPool(t, { dot: () => undefined });
    const sent = pool.send({ envelope, body: message });
    const [peer] = (await server.next("dot")) as [Socket];
    const drained = pool.drain();
    assert.equal((await pool.send({ envelope, body: message })).kind, "withdrawn");
    peer.write("250 ok\r\n");
    assert.equal((await sent).kind, "accepted");
    await drained;
    assert.equal(server.lines.at(-1), "QUIT");
  });
});
