/** Tells senders by NOTIFY that an account may send another number of mails, so that they look again at what they left aside. */
import type { Tx } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";

const CHANGED = "allowance_changed";

export function notifyAllowanceChanged(tx: Tx, accountId: string): Promise<void> {
  return notify(tx, CHANGED, accountId);
}

/** Calls back with undefined after a lost connection, when any account may have more mails. */
export function onAllowanceChanged(
  listener: Pick<Listener, "listen">,
  callback: (accountId: string | undefined) => void,
): void {
  listener.listen(CHANGED, (payload) => callback(payload || undefined));
}
