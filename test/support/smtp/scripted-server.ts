/** An SMTP server on loopback that does exactly what a test tells it, right or wrong, and keeps what it was sent. */
import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A reply, to which CRLF is added, or a function. A peer that the function pauses is read no further; if it returns
 * "body", what follows is taken for a message.
 */
export type Act = string | ((peer: Socket) => unknown);

/** The acts by command, or for `greeting` or `dot`. Of several acts each is used once, and the last one from then on. */
export type Script = Readonly<Record<string, Act | readonly Act[]>>;

export type ScriptedServer = {
  readonly port: number;
  /** Every command line, of all connections. */
  readonly lines: readonly string[];
  /** All that arrived between 354 and the dot, with dot-stuffing undone, whether or not it was accepted. */
  readonly messages: readonly Buffer[];
  /** The data of each read, which may hold several commands. */
  readonly reads: readonly string[];
  connections(): number;
  /** Resolves when this command, `dot` or `close` comes next. */
  next(event: string): Promise<unknown>;
  close(): Promise<void>;
};

export const pipeliningEhlo =
  "250-test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-DSN\r\n250 SIZE 200000";

const politeScript: Script = {
  greeting: "220 test",
  EHLO: pipeliningEhlo,
  HELO: "250 test",
  DATA: "354 go on",
  QUIT: (peer) => peer.end("221 bye\r\n"),
};

export async function startScriptedServer(script: Script = {}): Promise<ScriptedServer> {
  const acts: Script = { ...politeScript, ...script };
  const used = new Map<string, number>();
  const events = new EventEmitter();
  const lines: string[] = [];
  const messages: Buffer[] = [];
  const reads: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  /** Returns true when the act opens the body. */
  function act(name: string, peer: Socket): boolean {
    const choice = acts[name] ?? "250 ok";
    const list = Array.isArray(choice) ? (choice as readonly Act[]) : [choice as Act];
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    const chosen = list[Math.min(count, list.length - 1)] as Act;
    setImmediate(() => events.emit(name, peer));
    if (typeof chosen !== "string") return chosen(peer) === "body";
    peer.write(`${chosen}\r\n`);
    return name === "DATA" && chosen.startsWith("354");
  }

  const server = createServer((peer) => {
    connections++;
    sockets.add(peer);
    let input = Buffer.alloc(0);
    let inBody = false;
    peer.setNoDelay(true);
    peer.on("error", () => undefined);
    peer.on("close", () => {
      sockets.delete(peer);
      events.emit("close");
    });
    peer.on("data", (chunk: Buffer) => {
      reads.push(chunk.toString("latin1"));
      input = Buffer.concat([input, chunk]);
      events.emit("read", peer);
      while (takeOne()) {}
    });
    act("greeting", peer);

    function takeOne(): boolean {
      if (peer.isPaused() || !peer.writable) return false;
      if (inBody) {
        const isLone = input.subarray(0, 3).equals(Buffer.from(".\r\n"));
        const end = isLone ? -2 : input.indexOf("\r\n.\r\n");
        if (end === -1) return false;
        messages.push(undoDots(input.subarray(0, Math.max(0, end + 2))));
        input = input.subarray(end + 5);
        inBody = false;
        act("dot", peer);
        return true;
      }
      const end = input.indexOf("\r\n");
      if (end < 0) return false;
      const line = input.subarray(0, end).toString("utf8");
      input = input.subarray(end + 2);
      lines.push(line);
      inBody = act(line.split(" ")[0]?.toUpperCase() ?? "", peer);
      return true;
    }
  });

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    messages,
    reads,
    connections: () => connections,
    next: (event) => once(events, event),
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

function undoDots(message: Buffer): Buffer {
  return Buffer.from(message.toString("latin1").replace(/(^|\r\n)\.\./g, "$1."), "latin1");
}
