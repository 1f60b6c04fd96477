/** What a transport is to the engine. What the other side answered is a value, never an exception. */
import type { Phase } from "../../mail/smtp/smtp.ts";
import type { SourceName } from "../types.ts";

export type Outcome =
  | { readonly kind: "accepted"; readonly code: number; readonly text: string }
  | (Refusal & {
      readonly kind: "deferred" /** When the other side named a time. */;
      readonly retryAfterMs?: number;
    })
  | (Refusal & { readonly kind: "rejected" })
  /** The final dot was handed to the socket, and no reply came: it may have been taken, or not. */
  | { readonly kind: "ambiguous"; readonly text: string }
  /** Nothing was accepted, and no reply says why. */
  | { readonly kind: "unreachable"; readonly phase: Phase; readonly text: string }
  /** `mayBegin` said no, or it was cut off, before the final dot. */
  | { readonly kind: "withheld" };

type Refusal = {
  readonly phase: Phase;
  /** null where the message was refused on the server's behalf. */
  readonly code: number | null;
  /** RFC 3463, such as 5.1.1; null where the server gave none. */
  readonly enhanced: string | null;
  readonly text: string;
};

export type Outgoing = {
  readonly accountId: string;
  /** null for a message that stands in no ledger. */
  readonly source: SourceName | null;
  readonly contactId: string | null;
  /** 1 for the first. */
  readonly attempt: number;
  readonly from: string;
  readonly to: string;
  readonly message: Buffer;
};

export type SendHooks = {
  /** Awaited right before the first byte of the body: with false, none leaves. It may be asked again. */
  mayBegin(): boolean | Promise<boolean>;
  /** Right before the write that holds the final dot. */
  onDot?: (() => void) | undefined;
};

export type Transport = {
  /** How many messages it can have under way at once. */
  readonly connections: number;
  send(outgoing: Outgoing, hooks: SendHooks): Promise<Outcome>;
  /** Takes back at once what has no final dot yet. */
  cut(): void;
  /** Lets what is under way come to its end, and closes. */
  drain(): Promise<void>;
  /** At once: what awaits a reply is ambiguous. */
  close(): Promise<void>;
};
