/**
 * This frozen reference is the least that sends mail with PIPELINING: MAIL, RCPT and DATA leave in one write, and
 * after their replies a ready body in another. It reads a reply's first digit only and imports nothing of ours. Given
 * seconds, it sends for so long and says how many were accepted. Usage: bare-smtp.ts BODY_FILE PORT CONNECTIONS
 */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

const [, , bodyFile = "", port = "", connections = ""] = process.argv;
const envelope = Buffer.from("MAIL FROM:<bounces@example.org>\r\nRCPT TO:<reader1@example.net>\r\nDATA\r\n");
const body = Buffer.concat([readFileSync(bodyFile), Buffer.from(".\r\n")]);
const LF = 10;

const sockets = await Promise.all(Array.from({ length: Number(connections) }, open));
process.on("message", async (seconds) => {
  const startedMs = performance.now();
  const untilMs = startedMs + Number(seconds) * 1_000;
  const counts = await Promise.all(sockets.map((socket) => keepSending(socket, untilMs)));
  const units = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ units, seconds: (performance.now() - startedMs) / 1_000 });
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");

/** Opens a connection past the greeting and EHLO, whose last line alone has a blank after its code. */
function open(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
  let received = "";
  socket.on("error", fail).on("close", () => fail(new Error("the server closed a connection")));
  socket.once("data", () => {
    socket.write("EHLO localhost\r\n");
    socket.on("data", function read(chunk: Buffer) {
      received += chunk.toString("latin1");
      if (!/^250 .*\r\n$/m.test(received)) return;
      socket.off("data", read);
      resolve(socket);
    });
  });
  return promise;
}

function keepSending(socket: Socket, untilMs: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let count = 0;
  let awaited = 3;
  let isBody = false;
  let startsLine = true;
  const onData = (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at++) {
      if (startsLine && (chunk[at] as number) > 0x33) fail(new Error(`refused: ${chunk}`));
      startsLine = chunk[at] === LF;
      if (startsLine) awaited--;
    }
    if (awaited > 0) return;
    if (isBody) count++;
    isBody = !isBody;
    awaited = isBody ? 1 : 3;
    if (isBody || performance.now() < untilMs) return void socket.write(isBody ? body : envelope);
    socket.off("data", onData);
    resolve(count);
  };
  socket.on("data", onData);
  socket.write(envelope);
  return promise;
}

function fail(error: Error): never {
  throw error;
}
