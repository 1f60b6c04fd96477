/** The shapes of what goes into a message. */
import type { Pieces } from "./pieces.ts";

/** `Text` is `string`, or `Pieces` where slots may stand in it. */
export type Mailbox<Text = string> = {
  /** Anything: it is cleaned. */
  readonly name?: Text;
  /** One address, without a name and brackets: anything else is refused. */
  readonly address: Text;
};

/**
 * A header beyond the usual ones, by what its value is. `text` is for people to read and is cleaned; everything else
 * has a grammar, and what doesn't follow it is refused with an UnfitValue. Neither can end the line.
 */
export type HeaderField = { readonly name: string } & (
  | { readonly kind: "text"; readonly value: Pieces }
  | { readonly kind: "mailboxes"; readonly value: readonly Mailbox<Pieces>[] }
  /** `left@right`, without angle brackets. */
  | { readonly kind: "message_ids"; readonly value: readonly Pieces[] }
  | { readonly kind: "date"; readonly value: Date }
  /** Absolute URLs in ASCII, without angle brackets (RFC 2369). */
  | { readonly kind: "urls"; readonly value: readonly Pieces[] }
  /** A name to read, and a domain-like identifier without angle brackets (RFC 2919). */
  | { readonly kind: "list_id"; readonly value: { readonly name?: Pieces; readonly id: Pieces } }
  /** Visible ASCII without blanks, such as `auto-generated` or `List-Unsubscribe=One-Click`. */
  | { readonly kind: "token"; readonly value: Pieces }
);

export type Attachment = {
  readonly filename: string;
  /** `type/subtype` alone. */
  readonly contentType: string;
  /** Such as `{ charset: "utf-8" }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
};

/** What the HTML shows by `cid:` and its content id. */
export type InlineImage = Omit<Attachment, "filename"> & {
  readonly filename?: string;
  /** `left@right`, without angle brackets and without `cid:` (RFC 2392). */
  readonly contentId: string;
};

/**
 * What all copies of a message have in common. Line breaks of text and HTML may be LF, CR or CRLF, and are CRLF when
 * they arrive; half a character arrives as U+FFFD, any other as it is, NUL too. Where a text is all there is, a line
 * break is added to its end if there is none, since a message must end with one.
 */
export type MessageTemplate = {
  readonly from: Mailbox<Pieces>;
  readonly replyTo?: readonly Mailbox<Pieces>[];
  readonly subject: Pieces;
  /** In the order in which they shall stand. */
  readonly headers?: readonly HeaderField[];
  /** At least one of `text` and `html`. */
  readonly text?: Pieces;
  readonly html?: Pieces;
  /** Only with `html`. */
  readonly inlineImages?: readonly InlineImage[];
  readonly attachments?: readonly Attachment[];
  /** 1 to 60 letters, digits, - and _. The boundaries are made of it; any text will do, also the same for all. */
  readonly boundary: string;
};

/** What each copy has for itself. */
export type MessageCopy = {
  readonly to: readonly Mailbox[];
  readonly date: Date;
  /** `left@right`, without angle brackets. */
  readonly messageId: string;
  /** By the numbers of the slots. */
  readonly values: readonly string[];
};
