/**
 * A connection to one host and port, for one request after the other. Node's own client takes three to four times the
 * processor time for each request, which is most of what a webhook costs (docs/decisions/0060-a-connection-of-our-own.md).
 */
import { connect as connectTcp, isIP, type LookupFunction } from "node:net";
import { connect as connectTls, TLSSocket, type ConnectionOptions as TlsOptions } from "node:tls";
import { type AnswerReader, type AnswerSink, createAnswerReader, type Reading } from "./http-answer.ts";

export type ConnectionOptions = {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** Finds and judges the addresses of the host; one that it returns is connected to. */
  readonly lookup: LookupFunction;
  /** The authorities whose certificates are believed, in place of those that Node knows. */
  readonly authorities: readonly string[] | undefined;
};

/** Hears of a request. Either `whole` or `failed` is the last that it hears. */
type RequestListener = AnswerSink & {
  /** The request goes out now. */
  sent(): void;
  whole(): void;
  /** `isStale`: the connection was closed before anything came back, and had been used before. */
  failed(error: NodeJS.ErrnoException, isStale: boolean): void;
};

export type Connection = {
  /** Sends the bytes of a request, one for each character, once there is a connection and the host has proved its name. */
  send(request: string, listener: RequestListener): void;
  /** Whether another request may be sent. */
  isFree(): boolean;
  /** The end of the host's certificate; null over plain http. */
  certificateEndsAt(): Date | null;
  /** Of a request that is under way then, its listener hears that it failed. */
  close(): void;
};

/** A socket reads into one buffer of this size: to make one for each answer costs a tenth of a delivery. */
const READ_BYTES = 4_096;

type Sent = {
  readonly listener: RequestListener;
  readonly reader: AnswerReader;
  hasBegun: boolean;
};

export function openConnection(options: ConnectionOptions): Connection {
  const { isSecure, host, port, lookup } = options;
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: received };
  // The types of Node leave `onread` out of what `tls.connect` takes, and its documentation has it.
  const secure: TlsOptions & { onread: typeof onread } = { ...tlsOptions(options), onread };
  const socket = isSecure ? connectTls(secure) : connectTcp({ host, port, lookup, onread });
  socket.setNoDelay(true);
  let isOpen = false;
  let isUsed = false;
  let isOver = false;
  let waiting: string | undefined;
  let sent: Sent | undefined;
  let certificateEndsAt: Date | null = null;

  function write(request: string): void {
    sent?.listener.sent();
    // Headers and body go out in one piece. Two would be written by two calls of the system.
    socket.write(request, "latin1");
  }

  function over(): void {
    isOver = true;
    sent = undefined;
    socket.destroy();
  }

  function fail(error: NodeJS.ErrnoException): void {
    const failed = sent;
    const isStale =
      isUsed && failed?.hasBegun === false && (error.code === "ECONNRESET" || error.code === "EPIPE");
    over();
    failed?.listener.failed(error, isStale);
  }

  function goOn(read: Reading): void {
    if (read.kind === "more" || !sent) return;
    if (read.kind === "broken") {
      fail(codeError(read.code));
      return;
    }
    const { listener } = sent;
    sent = undefined;
    isUsed = true;
    if (!read.keepsOpen) over();
    listener.whole();
  }

  function received(count: number, buffer: Uint8Array): boolean {
    if (sent) {
      sent.hasBegun = true;
      goOn(sent.reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, count)));
    } else {
      // Nothing was asked for.
      over();
    }
    return true;
  }

  socket.once(isSecure ? "secureConnect" : "connect", () => {
    isOpen = true;
    if (socket instanceof TLSSocket) certificateEndsAt = certificateEnd(socket);
    if (waiting !== undefined) write(waiting);
    waiting = undefined;
  });
  socket.on("end", () => (sent ? goOn(sent.reader.end()) : over()));
  socket.on("error", fail);
  socket.on("close", () => fail(codeError("ECONNRESET")));

  return {
    send(request, listener) {
      sent = { listener, reader: createAnswerReader(listener), hasBegun: false };
      if (isOpen) write(request);
      else waiting = request;
    },
    isFree: () => !isOver && sent === undefined,
    certificateEndsAt: () => certificateEndsAt,
    close: () => fail(codeError("ECONNRESET")),
  };
}

function tlsOptions({ host, port, lookup, authorities }: ConnectionOptions) {
  return {
    host,
    port,
    lookup,
    // It is said here, because a variable of the environment can switch the default off.
    rejectUnauthorized: true,
    servername: isIP(host) === 0 ? host : "",
    ALPNProtocols: ["http/1.1"],
    ...(authorities && { ca: [...authorities] }),
  };
}

function certificateEnd(socket: TLSSocket): Date | null {
  const end = new Date(socket.getPeerCertificate().valid_to ?? "");
  return Number.isNaN(end.getTime()) ? null : end;
}

function codeError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error("the answer is none"), { code });
}
