/**
 * This frozen reference is Postfix's load generator in C. It opens a session for each message, or with "keep" (its
 * -d) sends all over those it has. It imports nothing of ours. Given seconds, it sends about as many messages as take
 * so long, and says how many and how long they took. Usage: smtp-source.ts OCTETS PORT SESSIONS [keep]
 */
import { spawn } from "node:child_process";

const SMTP_SOURCE = "/usr/sbin/smtp-source";
/** This is about what it reaches. It can be told how many messages to send, but not for how long. */
const MESSAGES_A_SECOND = 6_000;

const [, , octets = "", port = "", sessions = "", mode] = process.argv;

process.on("message", async (seconds) => {
  const units = Number(seconds) * MESSAGES_A_SECOND;
  const startedMs = performance.now();
  await send(units);
  process.send?.({ units, seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");

function send(messages: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const keep = mode === "keep" ? ["-d"] : [];
  const options = [...keep, "-s", sessions, "-m", String(messages), "-l", octets];
  const addresses = ["-f", "bounces@example.org", "-t", "reader1@example.net"];
  const child = spawn(SMTP_SOURCE, [...options, ...addresses, `127.0.0.1:${port}`], { stdio: "inherit" });
  child.once("error", reject);
  child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${SMTP_SOURCE} ended: ${code}`))));
  return promise;
}
