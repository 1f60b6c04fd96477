/**
 * How long a request's body may take. A connection is held for a body only as long as somebody waits for it and it
 * comes: a whole body within 30 seconds, an upload at a least rate however large it is, and what was refused unread
 * for a moment more.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

export type BodyDeadline = {
  /** For a body that is read whole. An upload is looked at as often, for its rate. */
  readonly withinMs: number;
  /** Of an upload, on average over `withinMs`. */
  readonly leastBytesPerSecond: number;
  /**
   * After an answer that came before the body's end. Closed at once, the connection would be reset by what is still
   * on its way, and the client might never see the answer (RFC 9112 §9.6).
   */
  readonly lingerMs: number;
};

/** 1 KB a second is less than a modem of the nineties carried: what is slower is no upload, or not meant as one. */
export const BODY_DEADLINE: BodyDeadline = {
  withinMs: 30_000,
  leastBytesPerSecond: 1_024,
  lingerMs: 2_000,
};

/** `refuse` is called when it has taken too long: whoever waits for the body can't answer any more. */
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
    // What waits here for a slow disk of ours is not the client's delay.
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
