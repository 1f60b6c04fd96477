/**
 * A process for the tests to kill: it locks the data directory, starts PostgreSQL, reports, and stops when its standard
 * input ends.
 */
import { createLog } from "../../log.ts";
import { lockDataDir, startEmbeddedPostgres } from "./embedded.ts";

const { dataDir, user, lockOnly } = JSON.parse(process.argv[2] ?? "{}");

if (user) {
  process.setgroups?.([]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
}
process.on("SIGINT", () => {}); // A service that first drains its work ignores the signal in the same way.

try {
  const taken = lockDataDir(dataDir);
  if ("heldBy" in taken) tell(taken);
  else await hold(taken.lock);
} catch (error) {
  tell({ error: String(error) });
}

async function hold(lock: { release(): void }): Promise<void> {
  const server = lockOnly
    ? undefined
    : await startEmbeddedPostgres({ dataDir, log: quiet(), settings: { fsync: "off" } });
  tell({ connection: server?.connection, pid: server?.pid, adopted: server?.adopted });
  process.stdin.resume();
  process.stdin.once("end", async () => {
    await server?.stop();
    lock.release();
  });
}

function quiet() {
  return createLog({ level: "silent", pretty: false });
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
