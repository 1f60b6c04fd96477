/**
 * Reads a socket as a sequence of replies. A channel has one timer, which looks at the present time limit when it goes off,
 * because a timer for each reply would cost more than the reply.
 */
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { createReplyReader, MALFORMED, type ReplyReader } from "./reply.ts";

type ChannelEvents = {
  reply(code: number): void;
  /** The time given to `within` has passed; the socket is still open. */
  timedOut(): void;
  /** The socket is closed. This is called once, and nothing is called after it. */
  lost(loss: Loss): void;
  drained(): void;
};

/** `isMalformed` says that the server was there, but what it sent was no reply. */
export type Loss = { readonly isMalformed: boolean; readonly text: string };

export type Channel = {
  readonly socket: Socket;
  readonly reader: ReplyReader;
  listen(events: ChannelEvents): void;
  /** Returns false when the caller should wait for `drained` before writing much more. */
  write(data: string | Buffer, encoding?: "latin1" | "utf8"): boolean;
  /** Writes both buffers in one packet where they fit. */
  writeTogether(first: Buffer, second: Buffer): void;
  within(ms: number): void;
  withoutLimit(): void;
  isOpen(): boolean;
  /** Closes the socket at once, and doesn't call `lost`. */
  destroy(): void;
  /** Stops reading and drops what has been read, so that the socket can continue as another channel. */
  release(): Socket;
};

const MAX_TIMER_MS = 2 ** 31 - 1;
/** This holds many replies, since a server sends 50 to 200 octets at a time. */
const READ_OCTETS = 4_096;

type TakeChunk = (chunk: Buffer, octets: number) => void;

/** Maps sockets of `connectPlain` to whoever reads them. Data on a socket without a reader is dropped. */
const readers = new WeakMap<Socket, TakeChunk>();

/**
 * Opens a socket that always reads into the same buffer. Otherwise each read allocates 64 KB and cuts them down to what
 * came, which took 6 of the 60 µs that a message cost.
 */
export function connectPlain(options: TcpNetConnectOpts): Socket {
  const onread = {
    buffer: Buffer.allocUnsafeSlow(READ_OCTETS),
    callback(octets: number, chunk: Uint8Array) {
      readers.get(socket)?.(chunk as Buffer, octets);
      return true;
    },
  };
  const socket = connect({ ...options, onread });
  return socket;
}

export function createChannel(socket: Socket, monotonicMs: () => number): Channel {
  const reader = createReplyReader();
  let events: ChannelEvents | undefined;
  let isOver = false;
  let dueAtMs = Number.POSITIVE_INFINITY;
  let timerAtMs = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function takeChunk(chunk: Buffer, octets: number): void {
    if (isOver) return;
    reader.push(chunk, octets);
    let code = reader.next();
    while (code > 0) {
      events?.reply(code);
      if (isOver) return;
      code = reader.next();
    }
    if (code === MALFORMED)
      lose({ isMalformed: true, text: "the server sent something that is no SMTP reply" });
  }

  const onData = (chunk: Buffer) => takeChunk(chunk, chunk.length);
  // With a half-closed peer that reads nothing, `close` may come minutes later, so the end of input counts as the end.
  const onEnd = () => lose({ isMalformed: false, text: "the server closed the connection" });
  const onError = (error: NodeJS.ErrnoException) =>
    lose({ isMalformed: false, text: `the connection broke: ${error.code ?? error.message}` });
  const onDrain = () => events?.drained();

  function lose(loss: Loss): void {
    if (isOver) return;
    end();
    events?.lost(loss);
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    socket.destroy();
  }

  function within(ms: number): void {
    if (isOver) return;
    dueAtMs = monotonicMs() + ms;
    if (dueAtMs < timerAtMs) arm(ms);
  }

  function arm(ms: number): void {
    clearTimeout(timer);
    timerAtMs = dueAtMs;
    timer = setTimeout(onTimer, Math.min(ms, MAX_TIMER_MS));
  }

  function onTimer() {
    timerAtMs = Number.POSITIVE_INFINITY;
    const leftMs = dueAtMs - monotonicMs();
    if (leftMs === Number.POSITIVE_INFINITY) return;
    if (leftMs > 0) return arm(leftMs);
    dueAtMs = Number.POSITIVE_INFINITY;
    events?.timedOut();
  }

  socket.setNoDelay(true);
  readers.set(socket, takeChunk);
  socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError).on("drain", onDrain);

  return {
    socket,
    reader,
    listen(listener) {
      events = listener;
    },
    write: (data, encoding = "latin1") =>
      typeof data === "string" ? socket.write(data, encoding) : socket.write(data),
    writeTogether(first, second) {
      socket.cork();
      socket.write(first);
      socket.write(second);
      socket.uncork();
    },
    within,
    withoutLimit() {
      dueAtMs = Number.POSITIVE_INFINITY;
    },
    isOpen: () => !isOver && !socket.destroyed && socket.writable,
    destroy: end,
    release() {
      isOver = true;
      clearTimeout(timer);
      readers.delete(socket);
      socket
        .off("data", onData)
        .off("end", onEnd)
        .off("close", onEnd)
        .off("error", onError)
        .off("drain", onDrain);
      socket.pause();
      return socket;
    },
  };
}
