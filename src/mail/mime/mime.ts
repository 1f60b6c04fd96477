/**
 * Composes messages: text, HTML, images, attachments and headers become bytes for SMTP, all ASCII but for addresses that
 * need SMTPUTF8. Text for people is cleaned; a structural value that doesn't fit its grammar is refused with an UnfitValue.
 * Nothing here reads a clock or a random number, so the same input gives the same bytes; no line begins with a dot.
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

/**
 * Composes a message of which there is only one copy. `compileMessage` encodes once what all copies share, and
 * `joinMessage` makes the bytes of one copy, encoding only its values.
 */
export function composeMessage(message: MessageTemplate & MessageCopy): Buffer {
  return joinMessage(compileMessage(message), message);
}
