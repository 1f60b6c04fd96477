/**
 * Sends an answer only when whole steps have passed since the request came, so that its time doesn't tell which way the work took:
 * whether an address is known, for example.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";

const STEP_MS = 25;

export async function sendEvenly<P>(_request: FastifyRequest, reply: FastifyReply, payload: P): Promise<P> {
  await delay(waitMs(reply.elapsedTime));
  return payload;
}

/** Returns how long an answer waits that took so long already. */
export function waitMs(elapsedMs: number): number {
  return STEP_MS - (elapsedMs % STEP_MS);
}
