/**
 * A server that takes every message and keeps nothing, for machines without smtp-sink. It knows what our three senders
 * say and no more. Says its port; told "count", it says how many messages it has taken.
 */
import { createServer, type Socket } from "node:net";

const END = Buffer.from("\r\n.\r\n");
const LF = 10;
let messages = 0;

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("message", () => process.send?.({ messages }));
process.on("SIGTERM", () => process.exit(0)).on("disconnect", () => process.exit(0));

function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  let isBody = false;
  socket.write("220 sink ESMTP\r\n");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const input = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    let replies = "";
    while (at < input.length) {
      const end = isBody ? input.indexOf(END, at) : input.indexOf(LF, at);
      if (end < 0) {
        // Of a body only what may be the beginning of its end is kept.
        if (isBody) at = Math.max(at, input.length - END.length + 1);
        break;
      }
      if (isBody) {
        messages++;
        isBody = false;
        replies += "250 2.0.0 Ok\r\n";
        at = end + END.length;
      } else {
        const verb = input.toString("latin1", at, at + 4).toUpperCase();
        isBody = verb === "DATA";
        replies += replyTo(verb);
        at = end + 1;
      }
    }
    rest = input.subarray(at);
    if (replies !== "") socket.write(replies, "latin1");
  });
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
