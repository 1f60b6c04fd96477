const NIL = "00000000-0000-0000-0000-000000000000";

/** In place of a worker's id: planning and canceling, which count in rows of their own. */
export const NO_WORKER = NIL;

/** The transport of the instance: the server that SMTP_URL names. */
export const INSTANCE_TRANSPORT = NIL;

/** What was looked over for the sandbox stays there, whatever server a sender may have by then. */
export const SANDBOX_TRANSPORT = "00000000-0000-0000-0000-000000000001";

/** Names the row of the ledger, and can be read back from a bounce. */
export function messageIdOf(sourceId: string, contactId: string): string {
  return `${sourceId.replaceAll("-", "")}.${contactId.replaceAll("-", "")}`;
}
