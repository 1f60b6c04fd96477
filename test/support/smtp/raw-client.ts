/** A client of SMTP that sends exactly what a test says, however wrong, and shows what the server answers. */
import { connect as connectNet, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { testCertificate } from "./certificate.ts";

export type RawClient = {
  /** Sends text as it is, byte for byte. */
  send(text: string | Buffer): void;
  /** Returns the next whole reply, its lines joined by LF; the empty text once the server has closed the connection. */
  reply(): Promise<string>;
  /** Sends a line and returns the reply to it. */
  ask(line: string): Promise<string>;
  /** Begins TLS on this connection. */
  secure(): Promise<void>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  readonly socket: Socket;
  end(): void;
};

export async function connectRaw(
  port: number,
  options: { readonly host?: string; readonly isTls?: boolean } = {},
): Promise<RawClient> {
  const { host = "127.0.0.1", isTls = false } = options;
  const trusted = { ca: testCertificate, servername: "localhost" };
  let socket: Socket = isTls ? connectTls({ port, host, ...trusted }) : connectNet({ port, host });
  let received = "";
  let isClosed = false;
  let wake: () => void = () => undefined;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const listen = () => {
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      isClosed = true;
      close();
      wake();
    });
  };
  listen();
  await new Promise<void>((resolve, reject) => {
    socket.once(isTls ? "secureConnect" : "connect", () => resolve());
    socket.once("error", reject);
  });
  const client: RawClient = {
    send: (text) => void socket.write(text),
    async reply() {
      for (;;) {
        const whole = /^(?:\d{3}-[^\n]*\r\n)*\d{3} [^\n]*\r\n/.exec(received)?.[0];
        if (whole !== undefined) {
          received = received.slice(whole.length);
          return whole.replaceAll("\r", "").trimEnd();
        }
        if (isClosed) return "";
        await new Promise<void>((resolve) => {
          wake = () => resolve();
        });
      }
    },
    ask(line) {
      client.send(`${line}\r\n`);
      return client.reply();
    },
    async secure() {
      socket.removeAllListeners();
      const secured = connectTls({ socket, ...trusted });
      socket = secured;
      listen();
      await new Promise<void>((resolve, reject) => {
        secured.once("secureConnect", () => resolve());
        secured.once("error", reject);
      });
    },
    closed,
    get socket() {
      return socket;
    },
    end: () => void socket.destroy(),
  };
  return client;
}

/** Connects and logs in. */
export async function logIn(port: number, key: string): Promise<RawClient> {
  const client = await connectRaw(port);
  await client.reply();
  await client.ask("EHLO test.example");
  const said = await client.ask(`AUTH PLAIN ${Buffer.from(`\0apikey\0${key}`).toString("base64")}`);
  if (!said.startsWith("235")) throw new Error(said);
  return client;
}

/** Sends MAIL, RCPT and DATA, and returns the reply to DATA. */
export async function beginData(client: RawClient, ...recipients: readonly string[]): Promise<string> {
  await client.ask("MAIL FROM:<billing@acme.example>");
  for (const one of recipients) await client.ask(`RCPT TO:<${one}>`);
  return client.ask("DATA");
}
