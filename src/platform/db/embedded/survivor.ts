import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../../startup-error.ts";
import { isServerOf, type PostmasterPid, readPostmasterPid } from "./postmaster-pid.ts";
import { connectionTo, probe } from "./socket.ts";

const POLL_MS = 50;
// The guard of a killed Postrider stops its server at once; one that still works after this has lost its guard.
const STAYS_AFTER_MS = 1_500;
const GIVE_UP_AFTER_MS = 20_000;

/**
 * Looks for a server that outlived its Postrider: waits when it is stopping, returns it when it stays. What answers
 * on the socket is a server even where its process can't be seen, as from another container.
 */
export async function findSurvivor(pgDir: string): Promise<PostmasterPid | undefined> {
  const since = performance.now();
  for (;;) {
    const written = readPostmasterPid(pgDir);
    if (!written) return undefined;
    const answer = await probe(connectionTo(written.socketDir, written.port));
    const visible = isServerOf(pgDir, written.pid);
    if (!visible && answer === "silent") return undefined;
    const waitedMs = performance.now() - since;
    if (visible && answer === "ready" && waitedMs > STAYS_AFTER_MS) return written;
    if (waitedMs > GIVE_UP_AFTER_MS) throw stillThere(pgDir, written, visible);
    await sleep(POLL_MS);
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
