import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import nodemailer from "nodemailer";
import { createSmtpPool, type SmtpPool } from "../../src/mail/smtp/smtp.ts";
import { type Sink, startSink } from "../support/sink/sink.ts";

describe("the sink", () => {
  let sink: Sink;
  let pool: SmtpPool;
  before(async () => {
    sink = await startSink();
    const backOff = { firstMs: 1, maxMs: 1 };
    pool = createSmtpPool({ host: "127.0.0.1", port: sink.port, name: "client.example", backOff });
  });
  after(async () => {
    await pool.close();
    await sink.stop();
  });

  const send = async (to: string, text = "Hello") => {
    const body = Buffer.from(`Message-ID: <${to}>\r\nDKIM-Signature: t=1;\r\n b=x\r\n\r\n${text}\r\n`);
    return (await pool.send({ envelope: { from: "a@example.org", to: [to] }, body })).kind;
  };
  const withRule = async (rule: Parameters<Sink["misbehave"]>[0][number]) => {
    await sink.forget();
    await sink.misbehave([rule]);
  };

  test("notes who got which message, when, and from whom", async () => {
    await sink.forget();
    await sink.misbehave([]);
    const startedMs = Date.now();
    assert.equal(await send("ada@x.example"), "accepted");
    const { bodies, faults } = await sink.log();
    const [body] = bodies;
    assert.ok(body?.dotMs && body.repliedMs);
    assert.deepEqual([body.to, body.client, body.taken], ["ada@x.example", "client.example", true]);
    assert.equal(body.messageId, "<ada@x.example>");
    assert.ok(startedMs - 5 < body.begunMs && body.begunMs <= body.dotMs && body.dotMs <= body.repliedMs);
    assert.deepEqual(faults, []);
  });

  test("knows a message again whose signature alone is another, and tells others apart", async () => {
    const hashOf = async (text: string, signature: string) => {
      await sink.forget();
      const body = Buffer.from(`DKIM-Signature: ${signature}\r\n ;c\r\nSubject: a\r\n\r\n${text}\r\n`);
      await pool.send({ envelope: { from: "a@example.org", to: ["b@x.example"] }, body });
      return (await sink.log()).bodies[0]?.hash;
    };
    assert.equal(await hashOf("one", "t=1"), await hashOf("one", "t=2"));
    assert.notEqual(await hashOf("one", "t=1"), await hashOf("two", "t=1"));
  });

  test("hangs up after the dot with or without the message, in the body and at RCPT", async () => {
    await withRule({ at: "dot", drop: "taken" });
    assert.equal(await send("ada@x.example"), "ambiguous");
    assert.deepEqual(
      (await sink.log()).bodies.map(({ taken, reply }) => [taken, reply]),
      [[true, null]],
    );
    await withRule({ at: "dot", drop: "not taken", to: "^bob@" });
    assert.equal(await send("bob@x.example"), "ambiguous");
    assert.equal(await send("ada@x.example"), "accepted");
    assert.equal((await sink.count()).taken, 1);
    await withRule({ at: "body", drop: "not taken", times: 1 });
    // A small body that leaves in one write with the dot may count as handed over, so this one is large.
    assert.match(await send("ada@x.example", "x".repeat(900_000)), /^(unreachable|ambiguous)$/);
    assert.equal((await sink.count()).taken, 0);
    await withRule({ at: "rcpt", drop: "not taken" });
    assert.equal(await send("ada@x.example"), "unreachable");
    assert.equal((await sink.count()).begun, 0);
  });

  for (const at of ["mail", "rcpt", "data", "dot"] as const) {
    test(`refuses at ${at} what it is told to, and each recipient no more often than that`, async () => {
      await withRule({ at, reply: "451 4.3.0 later", times: 1 });
      assert.equal(await send("ada@x.example"), "deferred");
      assert.equal(await send("ada@x.example"), "accepted");
      await withRule({ at, reply: "421 4.3.2 closing", times: 1 });
      // At MAIL our client takes the reply for that of a connection which had grown old, and tries another.
      assert.equal(await send("ada@x.example"), at === "mail" ? "accepted" : "deferred");
      await withRule({ at, reply: "554 5.6.0 never" });
      assert.equal(await send("ada@x.example"), "rejected");
      assert.equal((await sink.log()).refusals[0]?.at, at);
    });
  }

  test("holds its replies back", async () => {
    await withRule({ at: "data", delayMs: 60, to: "@slow" });
    const startedMs = performance.now();
    assert.equal(await send("ada@slow.example"), "accepted");
    assert.ok(performance.now() - startedMs >= 59);
    assert.deepEqual((await sink.log()).faults, []);
  });

  test("draws the same by the same seed", async () => {
    const drawn = async (seed: number) => {
      await sink.forget();
      await sink.misbehave([{ at: "dot", reply: "451 later", chance: 0.5 }], seed);
      const kinds: string[] = [];
      for (let n = 0; n < 20; n++) kinds.push(await send(`p${n}@x.example`));
      return kinds.join(" ");
    };
    const first = await drawn(7);
    assert.equal(await drawn(7), first);
    assert.notEqual(await drawn(8), first);
    assert.match(first, /accepted/);
    assert.match(first, /deferred/);
  });

  test("notes a body that didn't wait for its 354", async () => {
    await withRule({ at: "data", delayMs: 10 });
    const socket = connect({ port: sink.port, host: "127.0.0.1" });
    socket.write(
      "EHLO x\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\nSubject: x\r\n\r\nx\r\n.\r\nQUIT\r\n",
    );
    socket.resume();
    await once(socket, "close");
    assert.deepEqual((await sink.log()).faults, ["a body before its 354, to b@x"]);
  });

  test("finds the dot wherever the pieces of a message are cut, and no dot that isn't one", async () => {
    await sink.forget();
    await sink.misbehave([]);
    const socket = connect({ port: sink.port, host: "127.0.0.1", noDelay: true });
    socket.resume();
    socket.write("EHLO x\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\n");
    await sink.until("DATA", ({ data }) => data === 1);
    for (const letter of "Subject: x\r\n\r\n..\r\n.y\r\n.\r\nQUIT\r\n") {
      socket.write(letter);
      await new Promise(setImmediate);
    }
    await once(socket, "close");
    const { bodies, faults } = await sink.log();
    assert.deepEqual([bodies.length, bodies[0]?.taken, bodies[0]?.bytes], [1, true, 25]);
    assert.deepEqual(faults, []);
  });

  test("is understood by another client", async () => {
    await sink.forget();
    await sink.misbehave([]);
    const other = nodemailer.createTransport({ host: "127.0.0.1", port: sink.port, ignoreTLS: true });
    const message = { from: "a@example.org", to: "grüße@x.example", subject: "Hello", text: "…" };
    await other.sendMail(message);
    other.close();
    assert.deepEqual(
      (await sink.log()).bodies.map(({ to }) => to),
      ["grüße@x.example"],
    );
  });
});
