/**
 * A small HTTP load client with keep-alive connections, on each of which the next request follows the last answer. It
 * uses raw sockets and a parser that knows no more than our two servers send, because `fetch` would use more
 * processor time than what it measures.
 */
import { connect, type Socket } from "node:net";
import type { Work } from "./meter.ts";

export type Load = {
  readonly port: number;
  readonly connections: number;
  /** Returns the next request, head and body. */
  readonly request: () => string;
  /** The expected status. Any other one ends the run, because an error that is answered fast must not count as speed. */
  readonly status: number;
};

/**
 * This many requests let a server compile what it does often: after a tenth of it, half of its time is still
 * start-up.
 */
const WARM_REQUESTS = 30_000;
const LONGEST_WARM_UP_SECONDS = 10;

export async function warmUp(load: Load): Promise<void> {
  let requests = 0;
  for (let second = 0; second < LONGEST_WARM_UP_SECONDS && requests < WARM_REQUESTS; second++) {
    requests += (await runLoad(load, 1)).units;
  }
}

/** Starts no request after `seconds`, and waits for those under way. */
export async function runLoad(load: Load, seconds: number): Promise<Work> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  try {
    const counts = await Promise.all(sockets.map((socket) => keepAsking(socket, load, untilMs)));
    const units = counts.reduce((sum, count) => sum + count, 0);
    return { units, seconds: (performance.now() - startedMs) / 1_000 };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * Starts `perSecond` requests in each of so many seconds, whether or not earlier ones are answered, and returns the milliseconds of
 * each, counted from when it was due: waiting for a free connection counts too.
 */
export async function runPaced(load: Load, perSecond: number, seconds: number): Promise<number[]> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const startedMs = performance.now();
  const total = Math.floor(perSecond * seconds);
  const times: number[] = [];
  const free: { socket: Socket; dueMs: number }[] = [];
  let begun = 0;
  const askDue = () => {
    for (const now = performance.now(); begun < total; begun++) {
      const dueMs = startedMs + (begun * 1_000) / perSecond;
      const one = dueMs <= now ? free.pop() : undefined;
      if (!one) return;
      one.dueMs = dueMs;
      one.socket.write(load.request(), "latin1");
    }
  };
  for (const socket of sockets) {
    const one = { socket, dueMs: 0 };
    free.push(one);
    const answered = () => {
      free.push(one);
      if (times.push(performance.now() - one.dueMs) === total) resolve();
      else askDue();
    };
    onAnswers(socket, load, answered, reject);
  }
  const timer = setInterval(askDue, 1);
  try {
    await promise;
    return times;
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

function open(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.once("error", reject);
  socket.once("connect", () => resolve(socket));
  return promise;
}

function keepAsking(socket: Socket, load: Load, untilMs: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let answers = 0;
  const answered = () => {
    answers++;
    if (performance.now() < untilMs) socket.write(load.request(), "latin1");
    else resolve(answers);
  };
  onAnswers(socket, load, answered, reject);
  socket.write(load.request(), "latin1");
  return promise;
}

function onAnswers(socket: Socket, load: Load, answered: () => void, failed: (error: Error) => void): void {
  const expected = `HTTP/1.1 ${load.status} `;
  let received = "";
  socket.on("error", failed);
  socket.on("close", () => failed(new Error("the server closed a connection")));
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
    const length = lengthOfAnswer(received);
    if (length === undefined || received.length < length) return;
    if (!received.startsWith(expected) || received.length > length) {
      failed(new Error(`an answer other than ${load.status}:\n${received}`));
      return;
    }
    received = "";
    answered();
  });
}

/** Returns the length of head and body; undefined while the head is incomplete. */
function lengthOfAnswer(received: string): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = received.slice(0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length:\n${head}`);
  return headEnd + 4 + Number(length);
}
