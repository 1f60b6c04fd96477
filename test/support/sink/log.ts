/** What the sink remembers: a few hundred bytes a message, and never the message. */
import { hash } from "node:crypto";

/** A body that began. Times are milliseconds since 1970 by this machine's clock, with fractions. */
export type Body = {
  readonly connection: number;
  /** What the client called itself in EHLO. */
  readonly client: string;
  readonly to: string;
  /** When RCPT came. */
  readonly rcptMs: number;
  /** When the body's first byte came. */
  readonly begunMs: number;
  /** When the dot came; null if it never did. */
  dotMs: number | null;
  /** When the connection ended in the middle of it. */
  cutMs: number | null;
  /** When the reply was written, if one was. */
  repliedMs: number | null;
  reply: string | null;
  /** Has the recipient got it? Also without a reply, where the sink hangs up in that moment. */
  taken: boolean;
  messageId: string | null;
  /** Of all of it but what may differ between two attempts. */
  hash: string | null;
  bytes: number;
};

/** A command that was refused, or met by hanging up. */
export type Refusal = {
  readonly connection: number;
  readonly client: string;
  readonly at: string;
  readonly to: string;
  readonly reply: string | null;
  readonly atMs: number;
};

export type SinkLog = {
  /** In the order in which they began. */
  readonly bodies: readonly Body[];
  readonly refusals: readonly Refusal[];
  /** What the client got wrong: a body before the 354, a command that isn't one. */
  readonly faults: readonly string[];
  readonly connections: number;
};

export type SinkCounts = {
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  /** DATA commands that were answered, or wait to be. */
  readonly data: number;
  readonly begun: number;
  readonly taken: number;
  readonly refusals: number;
};

/** By the wall clock, as that is what several processes have in common. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** A signature has the time in it, so a resend may have another. */
const DIFFERS = /^dkim-signature:.*\r\n(?:[ \t].*\r\n)*/gim;
const MESSAGE_ID = /^message-id:\s*(\S+)/im;

export function describeMessage(message: Buffer): { messageId: string | null; hash: string } {
  const end = message.indexOf("\r\n\r\n");
  const head = message.toString("latin1", 0, end < 0 ? message.length : end + 2);
  const body = end < 0 ? "" : hash("sha1", message.subarray(end), "hex");
  return {
    messageId: MESSAGE_ID.exec(head)?.[1] ?? null,
    hash: hash("sha1", head.replaceAll(DIFFERS, "") + body, "hex").slice(0, 20),
  };
}
