/**
 * An IMAP server on loopback (RFC 3501), just enough for a client that reads a folder. It does what a test tells it, right or
 * wrong, and keeps what it was sent.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { testCertificate, testKey } from "../smtp/certificate.ts";
import { answerCommand } from "./commands.ts";
import type { Connection, ImapState, StoredMail } from "./state.ts";

export type { Fault } from "./state.ts";

export type ImapServer = {
  readonly port: number;
  readonly state: ImapState;
  /** Every command line of all connections, without tags and passwords. */
  readonly lines: string[];
  connections(): number;
  /** Puts a mail into the folder and tells those who wait for it. */
  deliver(raw: string | Buffer, more?: { folder?: string; arrivedAt?: Date; uid?: number }): StoredMail;
  close(): Promise<void>;
};

export type ImapOptions = { readonly tls?: "implicit" | "starttls" | "none" };

export const imapUser = { username: "bounces", password: "the password of a mailbox" };

export async function startImapServer({ tls = "none" }: ImapOptions = {}): Promise<ImapServer> {
  const state: ImapState = {
    folders: new Map([
      ["INBOX", []],
      ["Done", []],
    ]),
    uidValidity: 7,
    uidNext: undefined,
    exists: undefined,
    capabilities: ["IMAP4rev1", "IDLE", "UIDPLUS", "MOVE", ...(tls === "starttls" ? ["STARTTLS"] : [])],
    faults: new Map(),
    poison: undefined,
    user: imapUser.username,
    password: imapUser.password,
    onSelect: () => undefined,
  };
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<(folder: string) => void>();
  let connections = 0;
  let lastUid = 0;

  const serve = (plain: Socket) => {
    connections++;
    speak(plain, { state, lines, waiting });
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const server =
    tls === "implicit"
      ? createTlsServer({ key: testKey, cert: testCertificate }, serve)
      : createServer(serve);
  server.on("connection", keep);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    state,
    lines,
    connections: () => connections,
    deliver(raw, { folder = "INBOX", arrivedAt = new Date(), uid = lastUid + 1 } = {}) {
      lastUid = Math.max(lastUid, uid);
      const mail = { uid, raw: Buffer.from(raw), arrivedAt, flags: new Set<string>() };
      const mails = state.folders.get(folder);
      if (!mails) throw new Error(`there is no folder ${folder}`);
      mails.push(mail);
      for (const tell of waiting) tell(folder);
      return mail;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

type Shared = {
  readonly state: ImapState;
  readonly lines: string[];
  readonly waiting: Set<(folder: string) => void>;
};

function speak(first: Socket, { state, lines, waiting }: Shared): void {
  let socket = first;
  let input = Buffer.alloc(0);
  let idleTag: string | undefined;
  const connection: Connection = {
    state,
    folder: undefined,
    told: 0,
    write: (text) => {
      if (socket.writable) socket.write(text);
    },
  };
  const tell = (folder: string) => {
    if (idleTag && folder === connection.folder) tellOfNews();
  };
  const tellOfNews = () => {
    const count = state.folders.get(connection.folder ?? "")?.length ?? 0;
    if (count > connection.told) connection.write(`* ${count} EXISTS\r\n`);
    connection.told = count;
  };
  waiting.add(tell);
  first.on("close", () => waiting.delete(tell));

  function takeLine(line: string): void {
    if (idleTag && line.toUpperCase() === "DONE") {
      if (misbehave("DONE")) return;
      connection.write(`${idleTag} OK done\r\n`);
      idleTag = undefined;
      return;
    }
    const [tag = "", ...rest] = line.split(" ");
    const isUid = rest[0]?.toUpperCase() === "UID";
    const name = rest
      .slice(0, isUid ? 2 : 1)
      .join(" ")
      .toUpperCase();
    const args = rest.slice(isUid ? 2 : 1).join(" ");
    lines.push(name === "LOGIN" ? "LOGIN" : `${name} ${args}`.trim());
    if (misbehave(name, tag)) return;
    if (name === "IDLE") {
      idleTag = tag;
      connection.write("+ idling\r\n");
      tellOfNews();
    } else if (name === "LOGOUT") socket.end(`* BYE see you\r\n${tag} OK\r\n`);
    else if (name === "STARTTLS") {
      connection.write(`${tag} OK begin\r\n`);
      beginTls();
    } else connection.write(answerCommand(connection, tag, name, args));
  }

  function misbehave(name: string, tag = ""): boolean {
    const fault = state.faults.get(name);
    if (!fault) return false;
    if (fault === "close") socket.destroy();
    else if (fault === "close_halfway") socket.end("* 1 FETCH (UID 1 BODY[] {1000}\r\nReturn-Path: <>\r\n");
    else if (fault === "no") connection.write(`${tag} NO not today, said the password ${state.password}\r\n`);
    else if (fault === "nonsense") connection.write(`<html>${"(".repeat(500)}\r\n`);
    else if (fault === "huge_literal") connection.write("* 1 FETCH (UID 1 BODY[] {1000000000}\r\nxxx");
    else if (fault !== "hang") pour(fault === "flood" ? "* 1 FETCH (FLAGS ())\r\n" : "x");
    return true;
  }

  /** Writes on and on, as fast as the other side reads. */
  function pour(text: string): void {
    const block = text.repeat(Math.ceil(65_536 / text.length));
    const more = () => {
      while (socket.writable && socket.write(block)) {}
    };
    socket.on("drain", more);
    if (text === "x") connection.write("* OK ");
    more();
  }

  function beginTls(): void {
    first.removeAllListeners("data");
    socket = new TLSSocket(first, { isServer: true, key: testKey, cert: testCertificate });
    socket.on("error", () => undefined);
    socket.on("data", take);
  }

  function take(chunk: Buffer): void {
    input = Buffer.concat([input, chunk]);
    for (let end = input.indexOf("\r\n"); end >= 0; end = input.indexOf("\r\n")) {
      const line = input.subarray(0, end).toString("latin1");
      input = input.subarray(end + 2);
      takeLine(line);
    }
  }

  first.on("error", () => undefined);
  first.on("data", take);
  if (!misbehave("greeting")) connection.write("* OK ready\r\n");
}
