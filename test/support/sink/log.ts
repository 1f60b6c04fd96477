/** The sink logs a few hundred bytes for each message, and never the message itself. */
import { hash } from "node:crypto";

/** A message body that began. Times are milliseconds since 1970 by this machine's clock, with fractions. */
export type Body = {
  readonly connection: number;
  /** The name that the client gave in EHLO. */
  readonly client: string;
  readonly to: string;
  /** The time at which RCPT came. */
  readonly rcptMs: number;
  /** The time at which the body's first byte came. */
  readonly begunMs: number;
  /** The time at which the final dot came; null if it never did. */
  dotMs: number | null;
  /** The time at which the connection ended in the middle of the body. */
  cutMs: number | null;
  /** The time at which the reply was written, if one was. */
  repliedMs: number | null;
  reply: string | null;
  /** True where the recipient has got the message, also without a reply, where the sink hangs up at that moment. */
  taken: boolean;
  messageId: string | null;
  /** A hash of the message without what may differ between two attempts. */
  hash: string | null;
  bytes: number;
};

/** A command that was refused, or answered by hanging up. */
export type Refusal = {
  readonly connection: number;
  readonly client: string;
  readonly at: string;
  readonly to: string;
  readonly reply: string | null;
  readonly atMs: number;
};

export type SinkLog = {
  /** The bodies in the order in which they began. */
  readonly bodies: readonly Body[];
  readonly refusals: readonly Refusal[];
  /** Errors of the client, such as a body before the 354 or an unknown command. */
  readonly faults: readonly string[];
  readonly connections: number;
};

export type SinkCounts = {
  readonly connections: number;
  /** The number of connections that are open now. */
  readonly open: number;
  /** The number of DATA commands that were answered or wait to be. */
  readonly data: number;
  readonly begun: number;
  readonly taken: number;
  readonly refusals: number;
};

/** Returns the time of the wall clock, because that is what several processes share. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** A signature contains the time, so a resent message may have another one. */
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
