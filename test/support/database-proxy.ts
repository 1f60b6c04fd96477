import { connect, createServer, type Socket } from "node:net";

export type DatabaseProxy = {
  /** The URL of the same database, reached through the proxy. */
  readonly url: string;
  /** Everything that clients have sent so far, as text. */
  received(): string;
  /** Ends every connection and refuses new ones, as a server that is shut down does. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  restore(): Promise<void>;
  /** Holds the server's answers back until `release`, as a server that hangs does. */
  hold(): void;
  release(): void;
  /**
   * Lets the next transaction that has this text in it be committed, but ends its connection before the client gets the
   * answer. Others, such as a job that commits meanwhile, go on.
   */
  loseCommitAnswer(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Matches two statements without a Sync between them, which is a pipelined transaction. The server is idle after it. */
const WHOLE = /E\0\0\0\t\0{5}[BCP]/;
const SYNC = "S\0\0\0\x04";
const IDLE = "Z\0\0\0\x05I";

/** Creates a proxy between the program and PostgreSQL, with which a test can cut, hold or lose what is sent. */
export async function createDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>();
  const received: Buffer[] = [];
  let held = false;
  let losing: { text: string; done: () => void } | undefined;

  const listener = createServer((client) => {
    const server = connect(upstreamOf(databaseUrl));
    const pair = { client, server };
    pairs.add(pair);
    let lost: { answer: Buffer; committed: string; done: () => void } | undefined;
    /** What was sent since the last commit, while an answer is to be lost. */
    let sent = "";
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    client.on("data", (bytes: Buffer) => {
      received.push(bytes);
      if (losing) {
        sent += bytes.toString("latin1");
        const isWhole = sent.endsWith(SYNC) && WHOLE.test(sent);
        const committed = sent.includes("commit\0") ? "COMMIT\0" : isWhole && IDLE;
        if (committed && sent.includes(losing.text)) {
          lost = { answer: Buffer.alloc(0), committed, done: losing.done };
          losing = undefined;
        }
        if (committed) sent = "";
      }
      server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (!lost) {
        client.write(bytes);
        return;
      }
      lost.answer = Buffer.concat([lost.answer, bytes]);
      if (!lost.answer.includes(lost.committed)) return;
      end();
      lost.done();
    });
    if (held) server.pause();
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      listener.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      listener.close(() => resolve());
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
    });

  await listen(0);
  const { port } = listener.address() as { port: number };
  const { username, pathname } = new URL(databaseUrl);
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    received: () => Buffer.concat(received).toString("latin1"),
    cut: stop,
    restore: () => listen(port),
    hold() {
      held = true;
      for (const { server } of pairs) server.pause();
    },
    release() {
      held = false;
      for (const { server } of pairs) server.resume();
    },
    loseCommitAnswer: (text) =>
      new Promise<void>((done) => {
        losing = { text, done };
      }),
    async close() {
      if (listener.listening) await stop();
    },
  };
}

/** Returns a Unix socket where the URL has `?host=/folder`, as the embedded server's has. */
function upstreamOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const url = new URL(databaseUrl);
  const port = Number(url.port || 5432);
  const folder = url.searchParams.get("host");
  return folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
}
