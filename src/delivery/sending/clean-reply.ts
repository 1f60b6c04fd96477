/** Shortens what a server answered to what the ledger may keep. */
const LONGEST_REPLY = 500;
const CONTROLS = /\p{Cc}+/u;

/**
 * Removes the recipient's address, which servers like to repeat: the ledger outlives the person's data. Most replies have
 * none.
 */
export function cleanReply(reply: string, address: string): string {
  if (!reply.includes("@") && reply.length <= LONGEST_REPLY && !CONTROLS.test(reply)) return reply;
  return reply
    .replaceAll(new RegExp(RegExp.escape(address), "gi"), "(recipient)")
    .replaceAll(new RegExp(CONTROLS, "gu"), " ")
    .slice(0, LONGEST_REPLY);
}
