/** What a transport is to the engine. What the other side answered is a value, never an exception. */

/** How far a session had come. */
type Phase = "connect" | "greeting" | "auth" | "mail" | "rcpt" | "data" | "body";

export type Outcome =
  | { readonly kind: "accepted"; readonly code: number; readonly text: string }
  | (Refusal & {
      readonly kind: "deferred" /** When the other side named a time. */;
      readonly retryAfterMs?: number;
    })
  | (Refusal & { readonly kind: "rejected" })
  /** The final dot was handed to the socket, and no reply came: it may have been taken, or not. */
  | { readonly kind: "ambiguous"; readonly text: string }
  /** Nothing of the body left. */
  | { readonly kind: "unreachable"; readonly phase: Phase; readonly text: string }
  /** `beforeBody` said no, and nothing of the body left. */
  | { readonly kind: "withheld" };

type Refusal = {
  readonly phase: Phase;
  readonly code: number;
  /** RFC 3463, such as 5.1.1; null where the server gave none. */
  readonly enhanced: string | null;
  readonly text: string;
};

export type Outgoing = {
  readonly accountId: string;
  /** null for a message that stands in no ledger. */
  readonly sourceId: string | null;
  readonly contactId: string | null;
  /** 1 for the first. */
  readonly attempt: number;
  readonly from: string;
  readonly to: string;
  readonly message: Buffer;
};

export type Transport = {
  /** How many messages it can have under way at once. */
  readonly concurrency: number;
  /** It must await `beforeBody` right before the first byte of the body, and send none when that is false. */
  send(outgoing: Outgoing, beforeBody: () => Promise<boolean>): Promise<Outcome>;
};
