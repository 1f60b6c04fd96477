/**
 * Our composing and sending in a process of its own: the letter compiled once, joined for each recipient and handed to
 * the pool. Told a number of seconds, it sends for so long and says how many were accepted.
 * Usage: send-process.ts LETTER_FILE PORT CONNECTIONS [look-ahead]
 */
import { readFileSync } from "node:fs";
import { compileMessage, joinMessage } from "../../src/mail/mime/mime.ts";
import { createSmtpPool } from "../../src/mail/smtp/smtp.ts";
import { type Letter, type LetterCopy, toCopy, toTemplate } from "./letter.ts";

/** So that a connection never waits for the next message. */
const IN_HAND_PER_CONNECTION = 4;
const MESSAGES_PER_CONNECTION = 1_000;

const [, , letterFile = "", port = "", connections = "", mode] = process.argv;
const letter: Letter = JSON.parse(readFileSync(letterFile, "utf8"));
const compiled = compileMessage(toTemplate(letter));
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
    const copy = letter.copies[++begun % letter.copies.length] as LetterCopy;
    const body = joinMessage(compiled, toCopy(copy, new Date()));
    const outcome = await pool.send({ envelope: { from: letter.returnPath, to: [copy.address] }, body });
    if (outcome.kind !== "accepted") throw new Error(`${outcome.kind}: ${outcome.text}`);
    count++;
  }
  return count;
}
