/**
 * Tests the client's guarantee against servers that fail at random: a message whose outcome says that the server doesn't
 * have it was never taken, an accepted one was taken exactly once, and every `send` ends.
 */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { type Act, pipeliningEhlo, startScriptedServer } from "../../../test/support/smtp/scripted-server.ts";
import { createSmtpPool, type SmtpMessage, type SmtpOutcome, type SmtpPool } from "./smtp.ts";

const losses: Readonly<Record<string, Act>> = {
  end: (peer) => peer.end(),
  drop: (peer) => peer.destroy(),
  reset: (peer) => peer.resetAndDestroy(),
  rubbish: "what",
  shutdown: "421 4.3.2 going down",
  deferral: "451 later",
  refusal: "550 no",
  double: "250 ok\r\n250 ok",
};
const anyLoss = fc.constantFrom(...Object.keys(losses));

/** Draws mostly right answers, and some failures. */
function actsOf(right: string, rightInAll = 8): fc.Arbitrary<string[]> {
  const act = fc.oneof(
    { weight: rightInAll, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: anyLoss },
  );
  return fc.array(act, { minLength: 5, maxLength: 30 }).map((acts) => [...acts, right]);
}

/** Draws what the caller does with a message. */
const caller = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("body", "hook", "slow hook") },
  { weight: 2, arbitrary: fc.constantFrom("withdraw", "throw") },
  { weight: 1, arbitrary: fc.constant("cut") },
);

const scenario = fc.record({
  lookAhead: fc.boolean(),
  pipelining: fc.boolean(),
  maxConnections: fc.integer({ min: 1, max: 3 }),
  maxMessagesPerConnection: fc.integer({ min: 1, max: 5 }),
  greeting: actsOf("220 test", 40),
  MAIL: actsOf("250 ok"),
  RCPT: actsOf("250 ok"),
  DATA: actsOf("354 go on"),
  dot: actsOf("250 ok", 3),
  RSET: actsOf("250 ok"),
  messages: fc.array(caller, { minLength: 5, maxLength: 30 }),
});

test("no message is lost, doubled or misreported, whatever the server does and whenever", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ messages, dot, ...given }) => {
      const taken: { id: string; how: string }[] = [];
      const toAct = (name: string) => losses[name] ?? name;
      const server = await startScriptedServer({
        EHLO: given.pipelining ? pipeliningEhlo : "250 test",
        greeting: given.greeting.map(toAct),
        MAIL: given.MAIL.map(toAct),
        RCPT: given.RCPT.map(toAct),
        DATA: given.DATA.map(toAct),
        RSET: given.RSET.map(toAct),
        dot: dot.map((name) => (peer: Socket) => {
          const id = /Subject: (\d+)/.exec(String(server.messages.at(-1)))?.[1];
          if (id !== undefined) taken.push({ id, how: name });
          const act = toAct(name);
          return typeof act === "string" ? peer.write(`${act}\r\n`) : act(peer);
        }),
      });
      const pool = createSmtpPool({
        host: "127.0.0.1",
        port: server.port,
        backOff: { firstMs: 1, maxMs: 1 },
        lookAhead: given.lookAhead,
        maxConnections: given.maxConnections,
        maxMessagesPerConnection: given.maxMessagesPerConnection,
      });
      const dots = new Set<string>();
      const outcomes = await Promise.all(
        messages.map((how, index) => send(pool, how, String(index), () => dots.add(String(index)))),
      );
      await pool.drain();
      await server.close();
      for (const [index, outcome] of outcomes.entries()) {
        const times = taken.filter(({ id }) => id === String(index));
        assert.ok(times.length <= 1, `message ${index} was sent ${times.length} times`);
        assert.equal(
          dots.has(String(index)),
          dots.has(String(index)) || times.length > 0,
          "a dot without onDot",
        );
        assert.ok(
          isTrue(outcome, times[0]?.how),
          `${index}: ${JSON.stringify(outcome)} after ${times[0]?.how}`,
        );
      }
    }),
    { numRuns: 150 },
  );
});

async function send(
  pool: SmtpPool,
  how: string,
  id: string,
  onDot: () => void,
): Promise<SmtpOutcome | "thrown"> {
  const envelope: SmtpMessage["envelope"] = { from: "from@example.org", to: ["to@example.net"] };
  const body = Buffer.from(`Subject: ${id}\r\n\r\n.\r\n`);
  if (how === "body") return pool.send({ envelope, body, onDot });
  const beforeBody = async () => {
    if (how === "slow hook") await new Promise((resolve) => setTimeout(resolve, 3));
    if (how === "cut") pool.cut();
    if (how === "throw") throw new Error("of its own");
    return how === "withdraw" ? undefined : body;
  };
  return pool.send({ envelope, beforeBody, onDot }).catch(() => "thrown");
}

/** Compares what the server did with the dot, if it got one, to what the caller was told. */
function isTrue(outcome: SmtpOutcome | "thrown", did: string | undefined): boolean {
  const told = outcome === "thrown" ? outcome : outcome.kind;
  if (did === undefined) return told !== "accepted";
  if (did === "250 ok" || did === "double") return told === "accepted";
  if (did === "shutdown" || did === "deferral") return told === "deferred";
  return told === (did === "refusal" ? "rejected" : "ambiguous");
}
