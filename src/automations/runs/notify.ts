/** A notification says that a run may be due before the next look, and nothing else. */
import type { Tx } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";

const DUE = "automation_runs_due";

/** Is sent with the transaction that made runs due. */
export function hintDue(tx: Tx): Promise<void> {
  return notify(tx, DUE);
}

export function watchDue(listener: Pick<Listener, "listen">, onHint: () => void): void {
  listener.listen(DUE, onHint);
}
