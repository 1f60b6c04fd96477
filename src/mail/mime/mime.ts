/**
 * MIME composes messages: text and HTML, inline images, attachments and headers in, bytes for SMTP out (without
 * dot-stuffing, which is the wire's business, and which these bytes never need: no line begins with a dot).
 *
 * `compileMessage` encodes once what all copies of a message share; `joinMessage` makes the bytes of one copy, encoding
 * nothing but its values. `composeMessage` is both for a message of which there is only one.
 *
 * Nothing here looks at a clock or draws a random number: the same input gives the same bytes. What is for people to
 * read is cleaned; what is structure and isn't fit is refused with an UnfitValue (./headers.ts). All bytes are ASCII but
 * for addresses whose local part isn't (`isEai` of `parseAddress`): a message with such a one in it needs SMTPUTF8.
 *
 * Headers stand in this order: Date, From, To, Reply-To, Subject, Message-ID, the further ones as given, MIME-Version,
 * Content-Type and Content-Transfer-Encoding.
 */
import { compileMessage } from "./compile.ts";
import { joinMessage } from "./join.ts";
import type { MessageCopy, MessageTemplate } from "./template.ts";

export { type CompiledMessage, compileMessage } from "./compile.ts";
export { UnfitValue } from "./headers.ts";
export { joinMessage } from "./join.ts";
export type { Piece, Pieces } from "./pieces.ts";
export type {
  Attachment,
  HeaderField,
  InlineImage,
  Mailbox,
  MessageCopy,
  MessageTemplate,
} from "./template.ts";

/** A message may have slots here too, though it seldom needs them. */
export function composeMessage(message: MessageTemplate & MessageCopy): Buffer {
  return joinMessage(compileMessage(message), message);
}
