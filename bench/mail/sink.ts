/**
 * The receiving server is Debian's smtp-sink (package postfix) where it is installed and can do what is needed, and
 * otherwise a server of our own.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Program, startProgram } from "../harness/program.ts";

export type Sink = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Returns the number of messages taken so far. */
  count(): Promise<number>;
  stop(): Promise<void>;
};

const SMTP_SINK = "/usr/sbin/smtp-sink";
const BACKLOG = 256;
const STARTED_WITHIN_MS = 5_000;

export function startSink(folder: string): Promise<Sink> {
  return existsSync(SMTP_SINK) ? startSmtpSink(folder) : startOwnSink(folder);
}

/**
 * With -c smtp-sink writes its counters whenever they change, before it answers. They go into a file, because a
 * process that reads a pipe would take processor time from what is measured.
 */
async function startSmtpSink(folder: string): Promise<Sink> {
  const port = await findFreePort();
  const countsFile = openSync(join(folder, `smtp-sink-${port}.txt`), "w+");
  // Started as root, smtp-sink insists on another user.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(SMTP_SINK, [...user, "-c", `127.0.0.1:${port}`, String(BACKLOG)], {
    stdio: ["ignore", countsFile, "inherit"],
  });
  // smtp-sink doesn't notice when the bench has ended.
  process.once("exit", () => child.kill());
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve()).once("error", () => resolve());
  });
  await Promise.race([
    waitForServer(port),
    ended.then(() => Promise.reject(new Error(`${SMTP_SINK} didn't start`))),
  ]);
  return {
    name: "Debian's smtp-sink",
    pid: child.pid ?? 0,
    port,
    async count() {
      return Number(/.*mesg=(\d+)/s.exec(readEnd(countsFile))?.[1] ?? 0);
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      closeSync(countsFile);
    },
  };
}

/** Says how our own sink behaves. */
export type SinkBehaviour = {
  /** The delay before it accepts each message. */
  readonly acceptAfterMs?: number;
  /** A domain for which every reply is delayed, from RCPT on. */
  readonly slow?: { readonly domain: string; readonly replyAfterMs: number };
};

/** The counts of what the sink has taken. Times are those of Date.now(). */
export type Taken = {
  messages: number;
  /** The number of these messages that were for the slow domain. */
  slowMessages: number;
  firstAtMs: number;
  othersLastAtMs: number;
};

export type OwnSink = Sink & {
  read(): Promise<Taken>;
  /** Changes the behaviour from now on, and counts from zero again. */
  behave(behaviour: SinkBehaviour): Promise<void>;
};

export async function startOwnSink(folder: string): Promise<OwnSink> {
  const program = startProgram({ file: join(import.meta.dirname, "sink-process.ts"), cwd: folder });
  const ask = (question: string): Promise<Taken> => {
    const answer = program.hear((said) =>
      numberIn(said, "messages") === undefined ? undefined : (said as Taken),
    );
    program.tell(question);
    return answer;
  };
  return {
    name: "the bench's own sink",
    pid: program.pid,
    port: await hearPort(program),
    count: async () => (await ask("count")).messages,
    read: () => ask("read"),
    async behave(behaviour) {
      await ask(JSON.stringify(behaviour));
    },
    stop: () => program.stop(),
  };
}

/** Waits until a program says which port its server listens on. */
export function hearPort(program: Program): Promise<number> {
  return program.hear((said) => numberIn(said, "port"));
}

function numberIn(said: unknown, name: string): number | undefined {
  const value = said !== null && typeof said === "object" ? Reflect.get(said, name) : undefined;
  return typeof value === "number" ? value : undefined;
}

/** Reads the last 128 bytes of the file, which hold more than one line of counters. */
function readEnd(file: number): string {
  const end = Buffer.alloc(128);
  const at = Math.max(0, fstatSync(file).size - end.length);
  return end.toString("latin1", 0, readSync(file, end, 0, end.length, at));
}

function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}

async function waitForServer(port: number): Promise<void> {
  const untilMs = performance.now() + STARTED_WITHIN_MS;
  while (!(await answers(port))) {
    if (performance.now() > untilMs) throw new Error(`nobody listens on port ${port}`);
    await wait(20);
  }
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: "127.0.0.1" });
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
