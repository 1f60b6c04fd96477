import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { explainSpawnAs, type ServerUser } from "./server-user.ts";

/** A program that is stopped when our process ends, however it ends, and that Ctrl-C in our terminal doesn't reach. */
export type Guarded = {
  pid: number;
  /** Settles when the guard has ended, with the program's exit code. */
  ended: Promise<number | null>;
  /** Closes the pipe, upon which the guard stops the program. */
  letGo(): void;
  /** Ends the guard itself, for when there is nothing left to stop. */
  dismiss(): void;
  /** Lets our process end without waiting for the guard. */
  unref(): void;
};

type Options = { cwd: string; user: ServerUser | undefined; output: number };

// File descriptor 3 is the pipe from our process: `read` returns when we close it or die. SIGTERM is sent before SIGINT
// (fast shutdown), because a shell starts its background programs with SIGINT ignored until they set a handler.
const STOP_ON_EOF = `trap "" HUP INT TERM; read -r gone <&3; kill -TERM "$server"; kill -INT "$server"`;

const RUN = `
trap : HUP INT TERM
"$@" 3<&- >&2 &
server=$!
echo "$server"
exec >&-
(${STOP_ON_EOF}) 2>/dev/null &
watcher=$!
exec 3<&-
while :; do
  wait "$server"; code=$?
  kill -0 "$server" 2>/dev/null || break
done
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exit "$code"
`;

const GUARD_RUNNING = `server=$1; echo "$server"; exec >&- 2>/dev/null; ${STOP_ON_EOF}`;

/** Starts a program under a guard of its own. */
export function runGuarded(command: string[], options: Options): Promise<Guarded> {
  return startShell(RUN, command, options);
}

/** Starts a guard for a server that is already running, so that it too is stopped when our process ends. */
export function guardRunningServer(pid: number, options: Options): Promise<Guarded> {
  return startShell(GUARD_RUNNING, [String(pid)], options);
}

async function startShell(script: string, args: string[], options: Options): Promise<Guarded> {
  const { cwd, user, output } = options;
  const shell = spawn("/bin/sh", ["-c", script, "postrider-guard", ...args], {
    cwd,
    ...(user && { uid: user.uid, gid: user.gid }),
    // The guard gets nothing of our environment, which holds secrets; a PGPORT or LD_LIBRARY_PATH would also mislead it.
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    detached: true,
    stdio: ["ignore", "pipe", output, "pipe"],
  });
  const ended = new Promise<number | null>((settle) => {
    shell.once("exit", settle);
    shell.on("error", () => settle(null));
  });
  try {
    await once(shell, "spawn");
  } catch (error) {
    throw user ? explainSpawnAs(user, error) : error;
  }
  const pipe = shell.stdio[3] as Socket;
  pipe.on("error", () => {}); // The guard may close its end first.
  let line = "";
  for await (const chunk of shell.stdout as Socket) line += chunk;
  const pid = Number(line);
  if (!(pid > 0)) {
    pipe.destroy();
    throw new Error(`the guard of ${args[0]} ended before it could start it`);
  }
  return {
    pid,
    ended,
    letGo: () => pipe.destroy(),
    dismiss: () => {
      shell.kill("SIGKILL");
      pipe.destroy();
    },
    unref: () => {
      shell.unref();
      pipe.unref();
    },
  };
}
