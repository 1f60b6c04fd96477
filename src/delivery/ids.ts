/** In place of a worker's id: planning and canceling, which count in rows of their own. */
export const NO_WORKER = "00000000-0000-0000-0000-000000000000";

/** Names the row of the ledger, and can be read back from a bounce. */
export function messageIdOf(sourceId: string, contactId: string): string {
  return `${sourceId.replaceAll("-", "")}.${contactId.replaceAll("-", "")}`;
}
