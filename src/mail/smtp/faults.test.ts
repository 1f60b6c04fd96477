/** Whatever a server does, at whatever point, the outcome says whether it may have the message. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { startPool } from "../../../test/support/smtp/pool.ts";
import { type Act, pipeliningEhlo, type Script } from "../../../test/support/smtp/scripted-server.ts";
import type { SmtpOptions, SmtpOutcome } from "./smtp.ts";

const message = Buffer.from("Subject: hello\r\n\r\nHello.\r\n");
const envelope = { from: "from@example.org", to: ["to@example.net"] };

type Point = "greeting" | "ehlo" | "mail" | "rcpt" | "data" | "dot";
const points: readonly Point[] = ["greeting", "ehlo", "mail", "rcpt", "data", "dot"];

/** Names the commands of the script that belong to a point. */
const commandsAt: Readonly<Record<Point, readonly string[]>> = {
  greeting: ["greeting"],
  ehlo: ["EHLO", "HELO"],
  mail: ["MAIL"],
  rcpt: ["RCPT"],
  data: ["DATA"],
  dot: ["dot"],
};

function flood(unit: string): Act {
  return (peer: Socket) => {
    const more = (error?: Error | null) => {
      if (!error && peer.writable) peer.write(unit.repeat(1_000), more);
    };
    more();
  };
}

const silences: Readonly<Record<string, Act>> = {
  "closes the connection": (peer) => peer.end(),
  "drops the connection": (peer) => peer.destroy(),
  "resets the connection": (peer) => peer.resetAndDestroy(),
  "closes in the middle of a reply": (peer) => peer.end("25"),
  "closes in the middle of a multi-line reply": (peer) => peer.end("250-one\r\n250-two\r\n"),
  "sends what is no reply": "hello there",
  "sends an empty line": "",
  "sends a code that doesn't exist": "999 what",
  "sends one code and then another": "250-one\r\n550 two",
  "sends a letter for a digit": "25O ok",
  "sends an endless line": flood("2"),
  "sends a line of nothing but NUL": flood("\0"),
  "sends an endless reply": flood("250-and\r\n"),
  "says nothing at all": (peer) => peer.pause(),
};

async function sendTo(
  t: TestContext,
  script: Script,
  options: Partial<SmtpOptions> = {},
): Promise<SmtpOutcome> {
  const { pool } = await startPool(t, script, options);
  return pool.send({ envelope, body: message });
}

for (const [mode, ehlo] of [
  ["with PIPELINING", pipeliningEhlo],
  ["without PIPELINING", "250 test"],
] as const) {
  const scriptAt = (point: Point, act: Act): Script => ({
    EHLO: ehlo,
    ...Object.fromEntries(commandsAt[point].map((command) => [command, act])),
  });

  describe(`${mode}, a server that, instead of its reply,`, () => {
    for (const point of points) {
      for (const [name, act] of Object.entries(silences)) {
        test(`${name} at ${point}: ${point === "dot" ? "ambiguous" : "not sent"}`, async (t) => {
          const isSilent = name === "says nothing at all";
          const limits = { greeting: "greetingMs", ehlo: "commandMs" } as Record<Point, string>;
          const timeouts = isSilent ? { [limits[point] ?? `${point}Ms`]: 10 } : {};
          const outcome = await sendTo(t, scriptAt(point, act), { timeouts });
          assert.equal(outcome.kind, point === "dot" ? "ambiguous" : "unreachable", outcome.text);
          // A reset may arrive before the client learns that it is connected.
          const isEarly = point === "greeting" && outcome.phase === "connect" && name.startsWith("resets");
          if (!isEarly) assert.equal(outcome.phase, point);
          assert.equal(outcome.code, null);
          const { recipients, ...whole } = outcome;
          assert.deepEqual(recipients, [{ address: "to@example.net", ...whole }]);
        });
      }
    }
  });

  describe(`${mode}, the reply`, () => {
    const replies: readonly [reply: string, kind: string, enhanced: string | null][] = [
      ["421 4.3.2 going down", "deferred", "4.3.2"],
      ["451-4.3.0 one\r\n451 4.3.0 two", "deferred", "4.3.0"],
      ["450 5.1.1 an enhanced code of another class", "deferred", null],
      ["550 5.1.1 no such user", "rejected", "5.1.1"],
      ["554 no", "rejected", null],
      ["500", "rejected", null],
    ];
    for (const point of points) {
      for (const [reply, kind, enhanced] of replies) {
        test(`${JSON.stringify(reply)} at ${point}: ${kind}`, async (t) => {
          const outcome = await sendTo(t, scriptAt(point, reply));
          assert.deepEqual(
            [outcome.kind, outcome.phase, outcome.code, outcome.enhanced],
            [kind, point, Number(reply.slice(0, 3)), enhanced],
          );
        });
      }
      const outOfPlace = point === "data" ? "250 ok" : "354 go on";
      test(`${outOfPlace} at ${point} says nothing about the message`, async (t) => {
        const outcome = await sendTo(t, scriptAt(point, outOfPlace));
        assert.equal(outcome.kind, point === "dot" ? "ambiguous" : "unreachable");
        assert.equal(outcome.phase, point);
      });
    }
  });
}

describe("a server that speaks out of turn", () => {
  test("cannot pass off an early reply as the one to the dot", async (t) => {
    const outcome = await sendTo(t, { DATA: "354 go on\r\n250 got it" });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "body"]);
  });

  test("refuses together with its 354: that is its answer", async (t) => {
    const outcome = await sendTo(t, { DATA: "354 go on\r\n554 5.7.1 or rather not" });
    assert.deepEqual([outcome.kind, outcome.phase, outcome.code], ["rejected", "body", 554]);
  });

  test("greets twice: nothing is sent to it", async (t) => {
    const outcome = await sendTo(t, { greeting: "220 one\r\n220 two" });
    assert.equal(outcome.kind, "unreachable");
  });

  test("answers RCPT twice: the body is not sent", async (t) => {
    const { pool, server } = await startPool(t, { RCPT: "250 ok\r\n250 ok" });
    const outcome = await pool.send({ envelope, body: message });
    assert.deepEqual([outcome.kind, outcome.phase, server.messages.length], ["unreachable", "data", 0]);
  });

  test("adds a 421 to its 250: the message is accepted, and the next one uses another connection", async (t) => {
    const script = { dot: ["250 ok\r\n421 enough", "250 ok"] };
    const { pool, server } = await startPool(t, script, { maxConnections: 1 });
    assert.equal((await pool.send({ envelope, body: message })).kind, "accepted");
    assert.equal((await pool.send({ envelope, body: message })).kind, "accepted");
    assert.equal(server.connections(), 2);
  });

  test("refuses amid a large body: that is its answer, and no dot is sent", async (t) => {
    // The body can't all be sent, because nobody reads it and it is larger than the kernel's buffers.
    const refuse = (peer: Socket) => {
      peer.once("data", () => {
        peer.pause();
        peer.write("552 5.3.4 too big\r\n");
      });
      peer.write("354 go on\r\n");
      return "body";
    };
    let dots = 0;
    const { pool } = await startPool(t, { EHLO: "250-test\r\n250 PIPELINING", DATA: refuse });
    const body = Buffer.alloc(32 * 2 ** 20, "0123456789\r\n");
    const outcome = await pool.send({ envelope, body, onDot: () => dots++ });
    assert.deepEqual([outcome.kind, outcome.phase, outcome.code, dots], ["rejected", "body", 552, 0]);
  });
});

describe("a server that stops reading amid a body", () => {
  const large = Buffer.alloc(32 * 2 ** 20, "0123456789\r\n"); // This is more than the kernel buffers.
  const stopReading = (peer: Socket) => {
    peer.write("354 go on\r\n");
    peer.pause();
    return "body";
  };

  test("is given up before the dot, so the message is not ambiguous", async (t) => {
    const script = { EHLO: "250-test\r\n250 PIPELINING", DATA: stopReading };
    const { pool } = await startPool(t, script, { timeouts: { blockMs: 10 } });
    const outcome = await pool.send({ envelope, body: large });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "body"]);
  });

  test("and then hangs up: not ambiguous either", async (t) => {
    const hangUp = (peer: Socket) => {
      setTimeout(() => peer.destroy(), 5);
      return stopReading(peer);
    };
    const { pool } = await startPool(t, { EHLO: "250-test\r\n250 PIPELINING", DATA: hangUp });
    const outcome = await pool.send({ envelope, body: large });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "body"]);
  });
});

describe("a server that can't be reached", () => {
  test("because nothing listens there", async (t) => {
    const { pool, server } = await startPool(t);
    await server.close();
    const outcome = await pool.send({ envelope, body: message });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "connect"]);
    assert.match(outcome.text, /ECONNREFUSED/);
  });

  test("because its name leads nowhere", async (t) => {
    const { pool } = await startPool(t, {}, { host: "nowhere.invalid" });
    const outcome = await pool.send({ envelope, body: message });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "connect"]);
  });
});

describe("several recipients", () => {
  const to = ["one@example.net", "two@example.net", "three@example.net"];
  async function send(t: TestContext, script: Script) {
    const { pool, server } = await startPool(t, script);
    const outcome = await pool.send({ envelope: { ...envelope, to }, body: message });
    return { outcome, server };
  }
  const kinds = (outcome: SmtpOutcome) => outcome.recipients.map(({ kind, phase }) => `${kind} at ${phase}`);

  test("each has its own result", async (t) => {
    const { outcome } = await send(t, { RCPT: ["250 ok", "550 no", "451 later"] });
    assert.deepEqual(kinds(outcome), ["accepted at dot", "rejected at rcpt", "deferred at rcpt"]);
    assert.equal(outcome.kind, "accepted");
  });

  test("a refused one stays refused when the others are ambiguous", async (t) => {
    const { outcome } = await send(t, { RCPT: ["550 no", "250 ok"], dot: (peer) => peer.destroy() });
    assert.deepEqual(kinds(outcome), ["rejected at rcpt", "ambiguous at dot", "ambiguous at dot"]);
  });

  test("all refused and yet a 354: a lone dot is sent, and the refusals stand", async (t) => {
    const { outcome, server } = await send(t, { RCPT: ["550 no", "451 later", "550 no"], dot: "250 thanks" });
    assert.deepEqual(kinds(outcome), ["rejected at rcpt", "deferred at rcpt", "rejected at rcpt"]);
    assert.equal(outcome.kind, "deferred");
    assert.deepEqual(server.messages.map(String).join(""), "");
  });

  test("all refused, a 354, and silence after the lone dot: the connection is free for others soon", async (t) => {
    const script = { RCPT: ["550 no", "250 ok"], dot: [() => undefined, "250 ok"] };
    const limits = { maxConnections: 1, timeouts: { loneDotMs: 20 }, backOff: { firstMs: 1 } };
    const { pool } = await startPool(t, script, limits);
    const refused = await pool.send({ envelope, body: message });
    const next = await pool.send({ envelope, body: message });
    assert.deepEqual([refused.kind, next.kind], ["rejected", "accepted"]);
  });

  test("a 421 at the second takes the first one with it, and no body is sent", async (t) => {
    const { outcome, server } = await send(t, { RCPT: ["250 ok", "421 bye"] });
    assert.deepEqual(kinds(outcome), ["deferred at rcpt", "deferred at rcpt", "deferred at rcpt"]);
    assert.equal(server.messages.length, 0);
  });
});
