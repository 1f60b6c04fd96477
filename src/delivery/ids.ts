/** These ids stand for what has no row of its own. */
const NIL = "00000000-0000-0000-0000-000000000000";

/** Planning and canceling are done by no worker, so they count in rows that have this id in place of a worker's. */
export const NO_WORKER = NIL;

/** The instance's own transport: the server that SMTP_URL names. */
export const INSTANCE_TRANSPORT = NIL;

/** The sandbox. A source that was checked for it keeps it, even if senders have a server by the time it is sent. */
export const SANDBOX_TRANSPORT = "00000000-0000-0000-0000-000000000001";

/** Returns the local part of Message-ID, which names the row of the ledger and can be read back from a bounce. */
export function messageIdOf(sourceId: string, contactId: string): string {
  return `${sourceId.replaceAll("-", "")}.${contactId.replaceAll("-", "")}`;
}
