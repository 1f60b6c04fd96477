/** Who comes into the automation while its processes are killed, and what they do there: some read, some buy, some come back after it. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestApp } from "../../test/support/app.ts";
import { createRandom } from "../../test/support/sink/sink.ts";
import type { Json } from "../../test/support/subscribers.ts";

const COME_AT_ONCE = 5;
const COME_EVERY_MS = 250;
/** A wait for an event is over after a minute, so some do it too late. */
const DO_WITHIN_MS = 64_000;
/** Whoever comes back has mostly left by then, since they bought. */
const BUY_SOON_WITHIN_MS = 4_000;
const COME_BACK_WITHIN_MS = 6_000;

type Deed = { readonly atMs: number; readonly subscriber_id: string; readonly name: string };

/** What a person does, by when they came. Who is called Ada waits for an event, the others only wait. */
function deedsOf(nth: number, id: string, random: () => number): Deed[] {
  const now = performance.now();
  const deed = (name: string, withinMs: number): Deed => ({
    atMs: now + random() * withinMs,
    subscriber_id: id,
    name,
  });
  if (nth % 6 === 0) return [deed("read", DO_WITHIN_MS)];
  if (nth % 6 === 2) return [deed("bought", DO_WITHIN_MS)];
  if (nth % 6 !== 1) return [];
  const bought = deed("bought", BUY_SOON_WITHIN_MS);
  return [
    bought,
    { ...deed("came_back", COME_BACK_WITHIN_MS), atMs: bought.atMs + random() * COME_BACK_WITHIN_MS },
  ];
}

/** Some people come all the time, so that there is something to do at every kill. `stop` waits until all have done what they do. */
export function startPeople(
  app: TestApp,
  listId: string,
  seed: number,
): { written(): number; stop(): Promise<number> } {
  const random = createRandom(seed);
  const left: Deed[] = [];
  let written = 0;
  let isStopped = false;

  async function come(): Promise<void> {
    const subscribers = Array.from({ length: COME_AT_ONCE }, (_, at) => ({
      email: `person${written + at}@p${at}.example`,
      first_name: (written + at) % 2 === 0 ? "Ada" : "Bob",
      list_id: listId,
    }));
    const added = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    assert.equal(added.status, 200, added.text);
    for (const [at, one] of added.body.results.entries())
      left.push(...deedsOf(written + at, one.subscriber.id, random));
    written += COME_AT_ONCE;
  }

  async function act(): Promise<void> {
    const now = performance.now();
    const events = left.filter(({ atMs }) => atMs <= now).sort((one, other) => one.atMs - other.atMs);
    if (events.length === 0) return;
    left.splice(0, left.length, ...left.filter(({ atMs }) => atMs > now));
    const body = { events: events.map(({ atMs: _, ...event }) => event) };
    const told = await app.api("POST", "/v1/track/batch", { body });
    assert.ok(
      told.body.results.every((one: Json) => one["status"] === 202),
      told.text,
    );
  }

  const living = (async () => {
    while (!isStopped || left.length > 0) {
      if (!isStopped) await come();
      await act();
      await sleep(COME_EVERY_MS);
    }
  })();
  return {
    written: () => written,
    async stop() {
      isStopped = true;
      await living;
      return written;
    },
  };
}
