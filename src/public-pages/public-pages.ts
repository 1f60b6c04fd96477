/**
 * The pages that recipients and the world see, as functions from data to an answer: status, headers, HTML. They need no script,
 * name nobody but who the data names, and are the same for everybody who holds the link.
 */
export { COME_BACK_AFTER_SECONDS, isAway, PER_MINUTE, sendPage } from "./answering.ts";
export { archivedMailPage, archivePage, notInArchive } from "./archive/archive.ts";
export { atomFeed, rssFeed } from "./archive/feeds.ts";
export { mailDocument, toHtml } from "./archive/mail-document.ts";
export { type ConfirmPage, confirmPage, confirmWording } from "./confirm.ts";
export { brandColours } from "./document/brand-colours.ts";
export { inFrame, type PublicPage, type Sender } from "./document/document.ts";
export { fill, fillText, type Html, html, ownMarkup, toText } from "./document/html.ts";
export { maskAddress, plainName, showName } from "./document/names.ts";
export {
  closedForm,
  type FormField,
  type FormFieldType,
  formInputs,
  formSnippet,
  type Returned,
  type SignUpForm,
  scriptSnippets,
  signedUpPage,
  signUpPage,
} from "./forms/form.ts";
export { formForScript } from "./forms/form-script.ts";
export { readForm, takeAnyForm } from "./forms/read-form.ts";
export { chooseLocale } from "./locales/choose-locale.ts";
export { type Locales, readLocales, shippedLocales } from "./locales/locales.ts";
export type { Words } from "./locales/words.ts";
export { gone, notFound, nothingToSee, recorded, testMail, tooMany, unavailable } from "./notices.ts";
export { senderOf } from "./page-sender.ts";
export { createPageWords, type PageWords } from "./page-words.ts";
export {
  askForAddress,
  askForData,
  askToDelete,
  askToMove,
  deleted,
  linkExpired,
  linkMailed,
  moved,
  NEW_ADDRESS_FIELD,
  newAddressMailed,
  nothingKept,
} from "./personal-links.ts";
export {
  isPreferenceForm,
  type PreferenceForm,
  preferencesPage,
  readPreferenceForm,
} from "./preferences.ts";
export { askToUnsubscribe } from "./unsubscribing/ask-to-unsubscribe.ts";
export { readUnsubscribeForm } from "./unsubscribing/unsubscribe-form.ts";
export { type Unsubscribed, unsubscribed } from "./unsubscribing/unsubscribed.ts";
