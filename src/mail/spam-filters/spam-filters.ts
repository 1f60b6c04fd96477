/**
 * Asks a spam filter what it thinks of a mail: SpamAssassin by the protocol of spamd, or rspamd over HTTP. Whatever the filter does,
 * what comes out is a value: one that hangs, lies or sends without end says nothing of the mail.
 */
export { askRspamd } from "./rspamd.ts";
export { askSpamd, type SpamdPlace } from "./spamd.ts";
export type { SpamQuestion, SpamVerdict } from "./verdict.ts";
