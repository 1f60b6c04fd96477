/** Runs a server to be measured in a process of its own, so that no other work is counted as its own. */
import { type ChildProcess, spawn } from "node:child_process";

export type Program = {
  readonly pid: number;
  /** Waits for the first output in which `pick` finds something. */
  hear<T>(pick: (said: unknown) => T | undefined): Promise<T>;
  tell(message: string | number): void;
  stop(): Promise<void>;
};

export type ProgramOptions = {
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
};

const HEARD_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 12_000;

/** Starts a program whose messages (process.send) and lines of standard output `hear` receives. */
export function startProgram(options: ProgramOptions): Program {
  const child = spawn(process.execPath, [options.file, ...(options.args ?? [])], {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"], ...options.env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const listeners = new Set<(said: unknown) => void>();
  const said = (what: unknown) => {
    for (const listener of listeners) listener(what);
  };
  child.on("message", said);
  readLines(child, said);
  return {
    pid: child.pid ?? 0,
    tell: (message) => void child.send(message),
    hear<T>(pick: (said: unknown) => T | undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const fail = (why: string) => reject(new Error(`${options.file} ${why}`));
      const timer = setTimeout(() => fail("said nothing for three minutes"), HEARD_WITHIN_MS);
      const ended = () => fail("ended");
      const listener = (what: unknown) => {
        const found = pick(what);
        if (found !== undefined) resolve(found);
      };
      listeners.add(listener);
      child.once("exit", ended).once("error", reject);
      return promise.finally(() => {
        clearTimeout(timer);
        listeners.delete(listener);
        child.off("exit", ended).off("error", reject);
      });
    },
    stop: () => stopChild(child),
  };
}

function readLines(child: ChildProcess, said: (line: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) said(line);
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
  await ended;
  clearTimeout(forced);
}
