/** The engine sees every transport as the type `Transport`. What the other side answered is a value, never an exception. */
import type { Phase } from "../../mail/smtp/smtp.ts";
import type { SourceName } from "../types.ts";

export type Outcome =
  | { readonly kind: "accepted"; readonly code: number; readonly text: string }
  | (Refusal & {
      readonly kind: "deferred";
      /** The time that the other side asked us to wait, where it named one. */
      readonly retryAfterMs?: number;
    })
  | (Refusal & { readonly kind: "rejected" })
  /** The final dot was handed to the socket and no reply came, so the message may have been taken or not. */
  | { readonly kind: "ambiguous"; readonly text: string }
  /** Nothing was accepted, and no reply says why. */
  | { readonly kind: "unreachable"; readonly phase: Phase; readonly text: string }
  /** The message did not leave, because `mayBegin` returned false or it was cut off before the final dot. */
  | { readonly kind: "withheld" };

type Refusal = {
  readonly phase: Phase;
  /** The reply code, or null where the SMTP client refused the message on the server's behalf. */
  readonly code: number | null;
  /** The enhanced status code of RFC 3463, such as 5.1.1, or null where the server gave none. */
  readonly enhanced: string | null;
  readonly text: string;
};

export type Outgoing = {
  readonly accountId: string;
  /** The source of the message, or null for a message that stands in no ledger. */
  readonly source: SourceName | null;
  readonly contactId: string | null;
  /** The number of the attempt, 1 for the first. */
  readonly attempt: number;
  readonly from: string;
  readonly to: string;
  readonly message: Buffer;
  /** Whether it has a link in it that only its recipient may follow. */
  readonly isPrivate?: boolean;
};

export type SendHooks = {
  /** Is awaited right before the first byte of the body; when it returns false, no byte leaves. It may be called again. */
  mayBegin(): boolean | Promise<boolean>;
  /** Is called right before the write that holds the final dot. */
  onDot?: (() => void) | undefined;
};

export type Transport = {
  /** The number of messages that it can have under way at once. */
  readonly connections: number;
  send(outgoing: Outgoing, hooks: SendHooks): Promise<Outcome>;
  /** Takes back at once all messages whose final dot isn't sent yet. */
  cut(): void;
  /** Closes the connections once all that is under way has ended. */
  drain(): Promise<void>;
  /** Closes at once; messages that await a reply are then ambiguous. */
  close(): Promise<void>;
};
