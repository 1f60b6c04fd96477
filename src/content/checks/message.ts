/** The types of what checks are given of a mail and of what they report on it. */
export type Message = {
  readonly subject: string;
  /** The line that inboxes show after the subject; null where the mail has none. */
  readonly preheader: string | null;
  /**
   * The HTML as one recipient gets it: Liquid is rendered and the footer added, but links are as their author wrote
   * them, not yet tracked.
   */
  readonly html: string;
  /** Null where the mail has no text part. */
  readonly text: string | null;
  readonly from: { readonly name: string | null; readonly email: string } | null;
  /** Mail of the `transactional` stream needs no unsubscribe link and no postal address; all other mail does. */
  readonly stream: "campaign" | "automation" | "transactional";
  /** The address at which this recipient unsubscribes; null where the mail was given no such link. */
  readonly unsubscribeUrl: string | null;
  readonly postalAddress: string | null;
  /** The host of the server that the mail leaves by; null where it leaves by none. */
  readonly transportHost: string | null;
  /**
   * The size of the HTML part that is sent, given where it differs from that of `html`, since tracked links are
   * longer.
   */
  readonly htmlBytes?: number;
  /** The names that rendering didn't know. A name whose value is empty is not among them. */
  readonly unresolved?: readonly { readonly part: "subject" | "html" | "text"; readonly name: string }[];
  readonly attachments?: readonly { readonly filename: string }[];
};

/** Only an `error` stops a send. */
export type Severity = "error" | "warning" | "info";
export type Part = "subject" | "preheader" | "from" | "html" | "text" | "attachments";

export type FindingPlace = {
  readonly part: Part;
  /** Lines and columns count from 1. Columns are counted in UTF-16 units, as editors count them. */
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
};

export type Finding = {
  readonly code: string;
  readonly severity: Severity;
  /** Null where something is missing from the whole mail, which has no place. */
  readonly place: FindingPlace | null;
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** A sentence that says what to do about it. */
  readonly remedy: string;
  /**
   * The number of faults that this finding stands for: 1, or the number of those left out after the first few of a
   * kind.
   */
  readonly count: number;
};

export type RuleFault = {
  readonly message: string;
  /** The place where the fault begins: a part of the mail, and an offset in it in UTF-16 units. */
  readonly at?: { readonly part: Part; readonly offset: number };
  readonly severity?: Severity;
  readonly remedy?: string;
};
