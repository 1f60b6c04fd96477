/** The types of what goes into a message. */
import type { Pieces } from "./pieces.ts";

/** `Text` is `string`, or `Pieces` where slots may stand in it. */
export type Mailbox<Text = string> = {
  /** The display name may be any text, since it is cleaned. */
  readonly name?: Text;
  /** One address, without a name and brackets; anything else is refused. */
  readonly address: Text;
};

/**
 * A header beyond the usual ones, by the kind of its value. `text` is for people to read and is cleaned; every other kind
 * has a grammar, and a value that doesn't follow it is refused with an UnfitValue. Neither can end the line.
 */
export type HeaderField = { readonly name: string } & (
  | { readonly kind: "text"; readonly value: Pieces }
  | { readonly kind: "mailboxes"; readonly value: readonly Mailbox<Pieces>[] }
  /** Each is `left@right`, without angle brackets. */
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
  /** The type is `type/subtype` alone. */
  readonly contentType: string;
  /** Parameters such as `{ charset: "utf-8" }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
};

/** An image that the HTML shows by `cid:` and its content id. */
export type InlineImage = Omit<Attachment, "filename"> & {
  readonly filename?: string;
  /** The id is `left@right`, without angle brackets and without `cid:` (RFC 2392). */
  readonly contentId: string;
};

/**
 * The part that all copies of a message share. Line breaks of text and HTML may be LF, CR or CRLF, and become CRLF; half a
 * character becomes U+FFFD, any other is kept, NUL too. Where a text is the whole message, a missing line break is added,
 * since a message must end with one.
 */
export type MessageTemplate = {
  readonly from: Mailbox<Pieces>;
  readonly replyTo?: readonly Mailbox<Pieces>[];
  readonly subject: Pieces;
  /** The headers in the order in which they are to stand. */
  readonly headers?: readonly HeaderField[];
  /** At least one of `text` and `html` is needed. */
  readonly text?: Pieces;
  readonly html?: Pieces;
  /** Images are allowed only with `html`. */
  readonly inlineImages?: readonly InlineImage[];
  readonly attachments?: readonly Attachment[];
  /** 1 to 60 letters, digits, - and _, of which the boundaries are made. It needn't differ between messages. */
  readonly boundary: string;
};

/** The part that each copy has for itself. */
export type MessageCopy = {
  readonly to: readonly Mailbox[];
  readonly date: Date;
  /** The id is `left@right`, without angle brackets. */
  readonly messageId: string;
  /** The values by the numbers of their slots. */
  readonly values: readonly string[];
};
