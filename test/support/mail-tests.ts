/** What tests of mail tests share: a relay that passes mail on to the listener or holds it, and a SpamAssassin of a few rules. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { createSmtpPool } from "../../src/mail/smtp/smtp.ts";

export type HeldMail = { readonly from: string; readonly to: string; readonly raw: Buffer };

export type PassingRelay = {
  readonly port: number;
  /** Everything that it took, whether it passed it on or not. */
  readonly held: readonly HeldMail[];
  /** What the listener said to each mail that was passed on. */
  readonly replies: readonly string[];
  /** The port that it passes mail on to; undefined holds it. */
  passTo: number | undefined;
  /** Changes the mail or its recipient on the way. */
  change: (mail: HeldMail) => HeldMail;
  close(): Promise<void>;
};

export async function startPassingRelay(options: object = {}): Promise<PassingRelay> {
  const held: HeldMail[] = [];
  const replies: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom ? mailFrom.address : "",
          to: String(rcptTo[0]?.address),
          raw: Buffer.concat(chunks),
        };
        held.push(mail);
        if (relay.passTo !== undefined) replies.push(await passOn(relay.passTo, relay.change(mail)));
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const relay: PassingRelay = {
    port: (server.server.address() as AddressInfo).port,
    held,
    replies,
    passTo: undefined,
    change: (mail) => mail,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return relay;
}

/** Brings a mail to the listener as another server does, and returns what it said. */
export async function passOn(port: number, { from, to, raw }: HeldMail): Promise<string> {
  const pool = createSmtpPool({
    host: "127.0.0.1",
    port,
    tls: "opportunistic",
    verifyCertificate: false,
    maxConnections: 1,
  });
  try {
    const { code, text } = await pool.send({ envelope: { from, to: [to] }, body: raw });
    return `${code} ${text}`;
  } finally {
    await pool.drain();
  }
}

export type TcpServer = { readonly port: number; close(): Promise<void> };

/** A server that does with each connection what the test says. */
export async function startTcpServer(onConnection: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  // Whoever is asked sees the end of the mail before it answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A spamd that reads the whole request and answers what it is told of it. */
export function startSpamd(answer: (request: Buffer) => string): Promise<TcpServer> {
  return startTcpServer((socket) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => socket.end(answer(Buffer.concat(chunks))));
  });
}

export const HAM =
  "SPAMD/1.1 0 EX_OK\r\nContent-length: 200\r\nSpam: False ; 0.5 / 5.0\r\n\r\n" +
  "Content analysis details:   (0.5 points, 5.0 required)\r\n\r\n" +
  " pts rule name              description\r\n---- ---------------------- -----\r\n" +
  " 0.7 HTML_SHORT             BODY: HTML is short\r\n-0.2 SPF_PASS               SPF: sender matches SPF record\r\n";
