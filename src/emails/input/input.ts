/** What a request asks to be sent, read into a draft and its texts. */
export type { AttachmentHead } from "./attachments.ts";
export { type Draft, type FilledEmail, mailboxesOf, readDraft, templateOf } from "./draft.ts";
export { isGivenHeader } from "./given-headers.ts";
export { hiding, makeTexts, refusalOf, type Texts, type TrackedHtml } from "./texts.ts";
