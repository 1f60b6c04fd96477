/**
 * A server that accepts every message and keeps nothing, for machines without smtp-sink and for what that can't do.
 * It knows only what our senders send. It says its port, counts from zero when it is given a `SinkBehaviour` as JSON,
 * and says what it has taken when it is told anything.
 */
import { createServer, type Socket } from "node:net";
import type { SinkBehaviour, Taken } from "./sink.ts";

const END = Buffer.from("\r\n.\r\n");
const LF = 10;
const NOTHING: Taken = { messages: 0, slowMessages: 0, firstAtMs: 0, othersLastAtMs: 0 };
let behaviour: SinkBehaviour = {};
let taken = { ...NOTHING };

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("message", (told) => {
  if (String(told).startsWith("{")) {
    behaviour = JSON.parse(String(told));
    taken = { ...NOTHING };
  }
  process.send?.(taken);
});
process.on("SIGTERM", () => process.exit(0)).on("disconnect", () => process.exit(0));

function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  let isBody = false;
  let isSlow = false;
  let isWaiting = false;
  socket.write("220 sink ESMTP\r\n");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (!isWaiting) answer();
  });

  /** Answers as far as the input goes, or to the first reply that must wait. */
  function answer(): void {
    let at = 0;
    let replies = "";
    while (at < rest.length) {
      const end = isBody ? rest.indexOf(END, at) : rest.indexOf(LF, at);
      if (end < 0) {
        // Only what may be the beginning of a body's end is kept of it.
        if (isBody) at = Math.max(at, rest.length - END.length + 1);
        break;
      }
      const { reply, afterMs } = isBody ? takeMessage() : takeLine(rest.toString("latin1", at, end));
      at = isBody ? end + END.length : end + 1;
      isBody = reply.startsWith("354");
      if (afterMs > 0) {
        isWaiting = true;
        setTimeout(goOn, afterMs, reply);
        break;
      }
      replies += reply;
    }
    rest = rest.subarray(at);
    if (replies !== "") socket.write(replies, "latin1");
  }

  function goOn(reply: string): void {
    isWaiting = false;
    if (socket.destroyed) return;
    socket.write(reply, "latin1");
    answer();
  }

  function slowMs(): number {
    return isSlow ? (behaviour.slow?.replyAfterMs ?? 0) : 0;
  }

  function takeMessage() {
    const nowMs = Date.now();
    taken.messages++;
    taken.firstAtMs ||= nowMs;
    if (isSlow) taken.slowMessages++;
    else taken.othersLastAtMs = nowMs;
    return { reply: "250 2.0.0 Ok\r\n", afterMs: slowMs() || (behaviour.acceptAfterMs ?? 0) };
  }

  function takeLine(line: string) {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "MAIL" || verb === "RSET") isSlow = false;
    const { slow } = behaviour;
    if (verb === "RCPT" && slow) isSlow = line.includes(`@${slow.domain}>`);
    return { reply: replyTo(verb), afterMs: slowMs() };
  }
}

function replyTo(verb: string): string {
  switch (verb) {
    case "EHLO":
      return "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES\r\n";
    case "DATA":
      return "354 End data with <CR><LF>.<CR><LF>\r\n";
    case "QUIT":
      return "221 Bye\r\n";
    default:
      return "250 2.1.0 Ok\r\n";
  }
}
