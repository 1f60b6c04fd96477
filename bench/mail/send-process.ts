/**
 * Composes and sends in a process of its own: the message is compiled once, joined for each recipient and given to
 * the pool. Given a number of seconds, it sends for so long and says how many were accepted. Usage: send-process.ts
 * MESSAGE_FILE PORT CONNECTIONS [look-ahead]
 */
import { readFileSync } from "node:fs";
import { compileMessage, joinMessage } from "../../src/mail/mime/mime.ts";
import { createSmtpPool } from "../../src/mail/smtp/smtp.ts";
import { type BenchMessage, type BenchMessageCopy, toCopy, toTemplate } from "./message.ts";

/** This many messages are ready for each connection, so that it never waits for the next one. */
const IN_HAND_PER_CONNECTION = 4;
const MESSAGES_PER_CONNECTION = 1_000;

const [, , messageFile = "", port = "", connections = "", mode] = process.argv;
const message: BenchMessage = JSON.parse(readFileSync(messageFile, "utf8"));
const compiled = compileMessage(toTemplate(message));
const pool = createSmtpPool({
  host: "127.0.0.1",
  port: Number(port),
  maxConnections: Number(connections),
  maxMessagesPerConnection: MESSAGES_PER_CONNECTION,
  lookAhead: mode === "look-ahead",
});
let begun = 0;

process.on("message", async (seconds) => {
  const startedMs = performance.now();
  const untilMs = startedMs + Number(seconds) * 1_000;
  const inHand = Number(connections) * IN_HAND_PER_CONNECTION;
  const counts = await Promise.all(Array.from({ length: inHand }, () => keepSending(untilMs)));
  const units = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ units, seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");

async function keepSending(untilMs: number): Promise<number> {
  let count = 0;
  while (performance.now() < untilMs) {
    const copy = message.copies[++begun % message.copies.length] as BenchMessageCopy;
    const body = joinMessage(compiled, toCopy(copy, new Date()));
    const outcome = await pool.send({ envelope: { from: message.returnPath, to: [copy.address] }, body });
    if (outcome.kind !== "accepted") throw new Error(`${outcome.kind}: ${outcome.text}`);
    count++;
  }
  return count;
}
