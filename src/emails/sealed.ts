/**
 * What a mail says and to whom is sealed, so that neither a copy of the database nor a look into it shows it. Mails are found by
 * digests that only this instance can make.
 */
import type { HeaderField } from "../mail/mime/mime.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { TemplateRef } from "../templates/templates.ts";
import type { AttachmentHead, TrackedHtml } from "./input/input.ts";
import type { RecipientRole } from "./schema.ts";
import type { Tracking } from "./tracked-html.ts";

export type SealedAddress = { readonly name: string | null; readonly email: string };

type EnvelopeRecipient = {
  readonly role: RecipientRole;
  /** null once the person was erased. */
  readonly address: SealedAddress | null;
  /** Why it was suppressed when the mail came in; such a recipient is not in the ledger. */
  readonly suppressedFor: string | null;
};

export type Envelope = {
  readonly from: SealedAddress;
  readonly replyTo: SealedAddress | null;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly subject: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentHead[];
  /** Mails that were accepted by an earlier release lack it, and aren't tracked. */
  readonly tracking?: Tracking;
  /** The product itself sends it; nobody cancels it. */
  readonly isOwn?: true;
  /** It has a link in it that only its recipient may follow: nobody else is shown its texts, and they go once it has left. */
  readonly isPrivate?: true;
  /** The version of a template that its texts were made from; absent where there was none. */
  readonly template?: TemplateRef;
};

export type Body = {
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: readonly HeaderField[];
  /** The HTML as tracked copies have it. */
  readonly tracked?: TrackedHtml;
};

/** Names the row that a sealed value belongs to. */
type Place = { readonly accountId: string; readonly contentId: string };

const contextOf = ({ accountId, contentId }: Place, part: string) => `${accountId} ${contentId} ${part}`;

export function sealEnvelope(secrets: Secrets, place: Place, envelope: Envelope): Buffer {
  return secrets.seal("email", JSON.stringify(envelope), contextOf(place, "envelope"));
}

export function sealBody(secrets: Secrets, place: Place, body: Body): Buffer {
  return secrets.seal("email", JSON.stringify(body), contextOf(place, "body"));
}

/** Returns undefined where no key opens it. */
export function openEnvelope(secrets: Secrets, place: Place, sealed: Buffer): Envelope | undefined {
  const opened = secrets.open("email", sealed, contextOf(place, "envelope"));
  return opened === undefined ? undefined : (JSON.parse(opened) as Envelope);
}

export function openBody(secrets: Secrets, place: Place, sealed: Buffer): Body | undefined {
  const opened = secrets.open("email", sealed, contextOf(place, "body"));
  return opened === undefined ? undefined : (JSON.parse(opened) as Body);
}

export function sealAttachment(secrets: Secrets, place: Place, nth: number, content: Buffer): Buffer {
  return secrets.seal("email", content.toString("base64"), contextOf(place, `attachment ${nth}`));
}

export function openAttachment(
  secrets: Secrets,
  place: Place,
  nth: number,
  sealed: Buffer,
): Buffer | undefined {
  const opened = secrets.open("email", sealed, contextOf(place, `attachment ${nth}`));
  return opened === undefined ? undefined : Buffer.from(opened, "base64");
}

/** Something that a mail is found by. */
export type Term =
  | { readonly kind: "to"; readonly key: string }
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "metadata"; readonly name: string; readonly value: string }
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "template"; readonly id: string }
  /** A recipient was suppressed when the mail came in, and isn't in the ledger. */
  | { readonly kind: "suppressed" };

const MOST_WORDS = 20;

/** Returns the words of a subject by which it is found, each once. */
export function wordsOf(subject: string): string[] {
  const words =
    subject
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, MOST_WORDS);
}

/** Returns the digests of a term, in the form of a uuid: under the current key first, and under each older one. */
export function digestsOf(secrets: Secrets, accountId: string, term: Term): string[] {
  return secrets.macs("email-search", accountId, ...partsOf(term)).map(toUuid);
}

export function digestOf(secrets: Secrets, accountId: string, term: Term): string {
  return toUuid(secrets.mac("email-search", accountId, ...partsOf(term)));
}

function partsOf(term: Term): string[] {
  switch (term.kind) {
    case "to":
      return ["to", term.key];
    case "tag":
      return ["tag", term.tag];
    case "metadata":
      return ["metadata", term.name, term.value];
    case "word":
      return ["word", term.word];
    case "template":
      return ["template", term.id];
    case "suppressed":
      return ["suppressed"];
  }
}

function toUuid(digest: Buffer): string {
  const hex = digest.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
