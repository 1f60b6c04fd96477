/**
 * Limits how long a request's body may take, so that no body holds a connection for ever: an ordinary body must arrive
 * within 30 seconds, an upload of any size at a least rate, and a body that was refused unread gets a moment more.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

export type BodyDeadline = {
  /** An ordinary body must arrive within this time. An upload's rate is checked at the same interval. */
  readonly withinMs: number;
  /** The least rate of an upload, on average over `withinMs`. */
  readonly leastBytesPerSecond: number;
  /**
   * The time that a connection stays open after an answer that came before the body's end. Closed at once, it would be
   * reset by data still on its way, and the client might never see the answer (RFC 9112 §9.6).
   */
  readonly lingerMs: number;
};

/** 1 KB a second is less than a modem of the nineties carried, so anything slower is no honest upload. */
export const BODY_DEADLINE: BodyDeadline = {
  withinMs: 30_000,
  leastBytesPerSecond: 1_024,
  lingerMs: 2_000,
};

/** Calls `refuse` when the body has taken too long, since whoever waits for that body can't answer any more. */
export function enforceBodyDeadline(
  { raw }: FastifyRequest,
  { raw: answer }: FastifyReply,
  limits: BodyDeadline,
  refuse: () => void,
): void {
  const { socket, headers } = raw;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return;
  const isUpload = /^multipart\//i.test(headers["content-type"] ?? "");
  const leastBytes = (limits.leastBytesPerSecond * limits.withinMs) / 1_000;
  let seen = socket.bytesRead;
  const look = () => {
    // Data that waits here for our own slow disk is not the client's delay.
    const isOursToRead = raw.readableLength >= raw.readableHighWaterMark;
    if (isUpload && (isOursToRead || socket.bytesRead - seen >= leastBytes)) {
      seen = socket.bytesRead;
      return;
    }
    clearInterval(timer);
    if (!raw.complete) refuse();
  };
  const timer = setInterval(look, limits.withinMs).unref();
  const over = () => clearInterval(timer);
  raw.once("end", over).once("close", over);
  answer.once("close", () => {
    over();
    if (raw.complete) return;
    setTimeout(() => {
      if (!raw.complete) socket.destroy();
    }, limits.lingerMs).unref();
  });
}
