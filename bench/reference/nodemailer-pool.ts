/**
 * Frozen reference: the usual way to send a newsletter from Node, `sendMail` of a pooled transport for each recipient,
 * with its own HTML, text and headers. Imports nothing of ours. Told a number of seconds, it sends for so long and says
 * how many were accepted. Usage: nodemailer-pool.ts LETTER_FILE PORT CONNECTIONS
 */
import { readFileSync } from "node:fs";
import { createTransport } from "nodemailer";

type Piece = string | { readonly slot: number };

/** So that a connection never waits for the next message. */
const IN_HAND_PER_CONNECTION = 4;
const MESSAGES_PER_CONNECTION = 1_000;

const [, , letterFile = "", port = "", connections = ""] = process.argv;
const letter = JSON.parse(readFileSync(letterFile, "utf8"));
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
    const { address, messageId, values } = letter.copies[++begun % letter.copies.length];
    await transport.sendMail({
      envelope: { from: letter.returnPath, to: address },
      from: letter.from,
      to: address,
      replyTo: letter.replyTo,
      subject: fill(letter.subject, values),
      messageId: `<${messageId}>`,
      headers: {
        "List-Unsubscribe": `<${fill(letter.unsubscribe, values)}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "List-Id": `${letter.listId.name} <${letter.listId.id}>`,
      },
      text: fill(letter.text, values),
      html: fill(letter.html, values),
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
