/**
 * Runs programs that aren't ours, on loopback and in folders of their own. Where they aren't installed (two of the packages exclude each
 * other) they are unpacked instead.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type Running = { readonly port: number; stop(): Promise<void> };

const PACKAGES = ["postfix", "exim4-daemon-light", "libidn12", "libnss-wrapper"];
export const NOBODY = 65_534;
/** Postfix and Exim need an owner of their files who is neither root nor nobody. */
export const OWNER = { name: "daemon", uid: 1 };

export type Programs = {
  /** The folder of unpacked programs; empty where the system's own are used. */
  readonly root: string;
  has(path: string): boolean;
};

/** Returns the programs of the system, or those of packages that are downloaded into `folder`. */
export function findPrograms(folder: string, wanted: readonly string[]): Programs {
  if (!wanted.every((path) => existsSync(path))) unpack(folder);
  const root = wanted.every((path) => existsSync(path)) ? "" : folder;
  return { root, has: (path) => existsSync(join(root || "/", path)) };
}

function unpack(folder: string): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: "ignore", timeout: 120_000 });
  try {
    run("apt-get", "download", ...PACKAGES);
    for (const file of globSync("*.deb", { cwd: folder })) run("dpkg", "-x", file, folder);
  } catch {
    // Without apt, dpkg or a network there is nothing to run, and the scorer says so.
  }
}

/** Starts a program in a session of its own, because Postfix's master ends its whole process group. */
export function start(
  programs: Programs,
  path: string,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const { root } = programs;
  const libraries =
    root === "" ? [] : [join(root, "usr/lib/postfix"), ...globSync(join(root, "usr/lib/*-linux-gnu"))];
  const environment = { PATH: process.env["PATH"], LD_LIBRARY_PATH: libraries.join(":"), ...env };
  const options = { detached: true, stdio: "ignore", env: environment } as const;
  const child = spawn(join(root || "/", path), args, options);
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

const started = new Set<ChildProcess>();

// Ctrl-C reaches this process, but not the sessions that it made.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const { pid } of started) if (pid !== undefined) process.kill(-pid, "SIGTERM");
});

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await sleep(20);
  }
  throw new Error(`${child.spawnfile} doesn't listen`);
}
