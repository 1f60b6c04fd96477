/** Says which headers may be added to a message, and of what kind they must be. */
import { UnfitValue } from "./headers.ts";
import type { HeaderField } from "./template.ts";

/** These have a grammar, in which an encoded word or free text would be a fault (RFC 2047 §5). */
const kinds: Readonly<Record<string, HeaderField["kind"]>> = {
  "auto-submitted": "token",
  cc: "mailboxes",
  "in-reply-to": "message_ids",
  "list-archive": "urls",
  "list-help": "urls",
  "list-id": "list_id",
  "list-owner": "urls",
  "list-post": "urls",
  "list-subscribe": "urls",
  "list-unsubscribe": "urls",
  "list-unsubscribe-post": "token",
  precedence: "token",
  references: "message_ids",
  sender: "mailboxes",
};

/** These are written from other fields of the template or by servers on the way, or they would reveal a recipient. */
const reserved =
  /^(?:date|from|to|reply-to|subject|message-id|mime-version|content-.*|bcc|return-path|received|dkim-signature)$/;

export function checkFields(fields: readonly HeaderField[]): void {
  const seen = new Set<string>();
  for (const { name, kind } of fields) {
    // RFC 5322 §3.6.8 allows more, but not every server does; 50 columns leave room for a first word.
    if (!/^[a-z][\w-]{0,49}$/i.test(name)) {
      throw new UnfitValue("header", "a name is 1 to 50 letters, digits, - and _, a letter first");
    }
    const key = name.toLowerCase();
    if (reserved.test(key)) throw new UnfitValue(name, "it can't be given as a further header");
    if (seen.has(key)) throw new UnfitValue(name, "it is given twice");
    const required = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (required !== undefined && required !== kind)
      throw new UnfitValue(name, `it must be of the kind ${required}`);
    seen.add(key);
  }
}
