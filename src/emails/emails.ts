/**
 * Transactional mail: one mail to one or a few people because of something that happened, such as a receipt or a link to reset
 * a password. It leaves by the same ledger and the same engine as campaigns, ahead of them (docs/decisions/0026). This file is
 * what other folders may use.
 */
export {
  type AcceptTools,
  acceptEmails,
  createRoomFinder,
  createSenderFinder,
  createWaveFinder,
  type PreparedEmail,
  prepareEmail,
} from "./accept/accept.ts";
export { createEmailComposer } from "./compose.ts";
export { forgetInEmails } from "./forget.ts";
export { scheduledEmailFrom } from "./from-template/from-template.ts";
export { isGivenHeader } from "./input/input.ts";
export { emailOwner } from "./owner.ts";
export { emailPartitions } from "./partitions.ts";
export { findPrivate } from "./private-mails.ts";
export { listEmailsToPerson, openAttachmentForExport, openEmailForExport } from "./reading/reading.ts";
export { findRecipientAddresses } from "./recipient-addresses.ts";
