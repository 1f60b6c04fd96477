import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import { isServerOf, type PostmasterPid, readPostmasterPid } from "./postmaster-pid.ts";
import { connectionTo, probe } from "./socket.ts";

const POLL_MS = 50;
// The guard of a killed Postrider stops its server at once, so a server that still answers after this time has lost its
// guard.
const STAYS_AFTER_MS = 1_500;
// A server's last checkpoint on a busy disk may take this long.
const GIVE_UP_AFTER_MS = 60_000;
const SAY_EVERY_MS = 10_000;
const SAY_FIRST_AFTER_MS = 3_000;

/**
 * Looks for a server that outlived its Postrider: waits while it is stopping, and returns it when it stays. Whatever
 * answers on the socket is a server even where its process can't be seen, as from another container.
 */
export async function findOrphanServer(
  pgDir: string,
  { log, signal }: { log: Log; signal?: AbortSignal | undefined },
): Promise<PostmasterPid | undefined> {
  const since = performance.now();
  let sayAt = since + SAY_FIRST_AFTER_MS;
  for (;;) {
    const written = readPostmasterPid(pgDir);
    if (!written) return undefined;
    const answer = await probe(connectionTo(written.socketDir, written.port));
    const visible = isServerOf(pgDir, written.pid);
    if (!visible && answer === "silent") return undefined;
    const waitedMs = performance.now() - since;
    if (visible && answer === "ready" && waitedMs > STAYS_AFTER_MS) return written;
    if (waitedMs > GIVE_UP_AFTER_MS) throw stillThere(pgDir, written, visible);
    if (performance.now() > sayAt) {
      sayAt += SAY_EVERY_MS;
      log.info(
        { pid: written.pid },
        "waiting for an earlier PostgreSQL in the data directory to stop or to answer",
      );
    }
    await sleep(POLL_MS, undefined, signal && { signal });
  }
}

function stillThere(pgDir: string, written: PostmasterPid, visible: boolean): StartupError {
  if (visible) {
    return new StartupError(
      `An earlier PostgreSQL (process ${written.pid}) is still stopping in ${pgDir}.`,
      `Start again in a moment. If it hangs, end it with: kill -QUIT ${written.pid}`,
    );
  }
  return new StartupError(
    `A PostgreSQL that can't be seen from here (in another container?) is using ${pgDir}.`,
    "Stop the other Postrider that uses this data directory, then start again.",
  );
}
