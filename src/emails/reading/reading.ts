/** Mails as the API shows them: one with its timeline, or those that a search finds. */
export { showContent, showHtml } from "./content.ts";
export { readFilter } from "./filter.ts";
export { openAttachmentForExport, openEmailForExport } from "./for-export.ts";
export { createEmailStreams } from "./live.ts";
export { showEmail, showEmails } from "./read.ts";
export { countEmails, listEmails } from "./search.ts";
export { shapeAccepted, shapeBatchItem } from "./shape.ts";
export { listEmailsToPerson } from "./to-person.ts";
