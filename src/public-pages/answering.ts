/** How public pages are answered, whatever they show. */
import type { FastifyReply } from "fastify";
import { DbError } from "../platform/db/errors.ts";
import type { DirectAnswer } from "../platform/http/direct.ts";

/** Pages and POSTs are limited by address; opens and clicks never are, because image proxies share theirs. */
export const PER_MINUTE = 300;
export const COME_BACK_AFTER_SECONDS = 10;

export function sendPage(reply: FastifyReply, { status, headers, body }: DirectAnswer) {
  return reply.code(status).headers(headers).send(body);
}

/** Whether the database can't answer just now, so that a page may say when to come back. */
export function isAway(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "full"].includes(error.kind);
}
