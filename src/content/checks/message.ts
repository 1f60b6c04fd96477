/** What the checks are told of a mail, and what they say of it. */
export type Message = {
  readonly subject: string;
  /** The line that inboxes show after the subject; null where the mail has none. */
  readonly preheader: string | null;
  /** As one recipient gets it: Liquid rendered, footer added, but links as their author wrote them, not yet tracked. */
  readonly html: string;
  /** Null where the mail has no text part. */
  readonly text: string | null;
  readonly from: { readonly name: string | null; readonly email: string } | null;
  /** Only campaigns owe a way out and a postal address. */
  readonly stream: "campaign" | "transactional";
  /** Where this recipient unsubscribes; null where the mail was given no such link. */
  readonly unsubscribeUrl: string | null;
  readonly postalAddress: string | null;
  /** The size of the HTML part that is sent, where it isn't that of `html` (tracked links are longer). */
  readonly htmlBytes?: number;
  /** The names that rendering didn't know. A name with an empty value is not among them. */
  readonly unresolved?: readonly { readonly part: "subject" | "html" | "text"; readonly name: string }[];
  readonly attachments?: readonly { readonly filename: string }[];
};

/** Only an `error` stops a send. */
export type Severity = "error" | "warning" | "info";
export type Part = "subject" | "preheader" | "from" | "html" | "text" | "attachments";

export type FindingPlace = {
  readonly part: Part;
  /** Both count from 1; columns in UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
};

export type Finding = {
  readonly code: string;
  readonly severity: Severity;
  /** Null where something is missing from the whole mail. */
  readonly place: FindingPlace | null;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** How many faults this one stands for: 1, or all that were left out behind the first of a kind. */
  readonly count: number;
};

export type Fault = {
  readonly message: string;
  /** Where it begins: a part and an offset in UTF-16 units. */
  readonly at?: { readonly part: Part; readonly offset: number };
  readonly severity?: Severity;
  readonly remedy?: string;
};
