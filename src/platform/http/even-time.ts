/**
 * Sends an answer only at fixed marks of time after its request came, so that its time doesn't tell which way the work took:
 * whether an address is known, for example.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Most answers take far less than the first mark, so that none of their ways passes it. */
const FIRST_MS = 50;
const STEP_MS = 25;

export async function sendEvenly<P>(_request: FastifyRequest, reply: FastifyReply, payload: P): Promise<P> {
  await delay(waitMs(reply.elapsedTime));
  return payload;
}

/** Returns how long an answer waits that took so long already. */
export function waitMs(elapsedMs: number): number {
  return elapsedMs < FIRST_MS ? FIRST_MS - elapsedMs : STEP_MS - (elapsedMs % STEP_MS);
}
