/**
 * This frozen reference sends a newsletter as is usual in Node: `sendMail` of a pooled transport for each recipient,
 * with its own HTML, text and headers. It imports nothing of ours. Given a number of seconds, it sends for so long
 * and says how many were accepted. Usage: nodemailer-pool.ts MESSAGE_FILE PORT CONNECTIONS
 */
import { readFileSync } from "node:fs";
import { createTransport } from "nodemailer";

type Piece = string | { readonly slot: number };

/** This many messages are ready for each connection, so that it never waits for the next one. */
const IN_HAND_PER_CONNECTION = 4;
const MESSAGES_PER_CONNECTION = 1_000;

const [, , messageFile = "", port = "", connections = ""] = process.argv;
const message = JSON.parse(readFileSync(messageFile, "utf8"));
const transport = createTransport({
  pool: true,
  host: "127.0.0.1",
  port: Number(port),
  maxConnections: Number(connections),
  maxMessages: MESSAGES_PER_CONNECTION,
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
    const { address, messageId, values } = message.copies[++begun % message.copies.length];
    await transport.sendMail({
      envelope: { from: message.returnPath, to: address },
      from: message.from,
      to: address,
      replyTo: message.replyTo,
      subject: fill(message.subject, values),
      messageId: `<${messageId}>`,
      headers: {
        "List-Unsubscribe": `<${fill(message.unsubscribe, values)}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "List-Id": `${message.listId.name} <${message.listId.id}>`,
      },
      text: fill(message.text, values),
      html: fill(message.html, values),
    });
    count++;
  }
  return count;
}

function fill(pieces: readonly Piece[], values: readonly string[]): string {
  let text = "";
  for (const piece of pieces) text += typeof piece === "string" ? piece : values[piece.slot];
  return text;
}
