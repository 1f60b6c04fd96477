/**
 * A relay that isn't ours, with TLS and a sign-in, which keeps what it received, for tests that send through the
 * whole service.
 */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { testCertificate, testKey } from "./certificate.ts";

type Received = {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: unknown;
  readonly secure: boolean;
  readonly body: string;
};

export type Relay = {
  readonly port: number;
  readonly received: readonly Received[];
  close(): Promise<void>;
  /** Ends it as if its machine had died: connections are cut, whatever is on them, and nothing listens any more. */
  kill(): void;
};

export const relayUser = { username: "postrider", password: "zqx correct horse" } as const;

/** Starts a relay that accepts one user, or anybody where `options` say `authOptional`. */
export async function startRelay(options: object = {}, listenAt = 0): Promise<Relay> {
  const received: Received[] = [];
  const server = new SMTPServer({
    key: testKey,
    cert: testCertificate,
    onAuth({ username, password }, _session, done) {
      const isRight = username === relayUser.username && password === relayUser.password;
      if (isRight) return done(null, { user: username });
      done(new Error(`no ${username} with ${password}`));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { envelope, user, secure } = session;
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          to: envelope.rcptTo.map(({ address }: { address: string }) => address),
          user,
          secure,
          body: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(listenAt, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
    kill() {
      server.server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
