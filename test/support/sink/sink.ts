/**
 * The sink is a receiving SMTP server with a log of its own. It runs in a process of its own, so that neither a
 * killed sender nor a killed database can change what it has seen. It is fast enough for a send at full speed, and
 * can be told to misbehave.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Body, SinkCounts, SinkLog } from "./log.ts";
import type { Rule } from "./rules.ts";
import type { Order } from "./sink-process.ts";

export type { Body, SinkLog } from "./log.ts";
export { createRandom, type Rule } from "./rules.ts";

export type Sink = {
  readonly port: number;
  readonly pid: number;
  /** Replaces the rules from now on; open connections stay. */
  misbehave(rules: readonly Rule[], seed?: number): Promise<void>;
  count(): Promise<SinkCounts>;
  log(): Promise<SinkLog>;
  /** Waits until the counts meet a condition, and looks every few milliseconds. */
  until(what: string, met: (counts: SinkCounts) => boolean, timeoutMs?: number): Promise<SinkCounts>;
  /** Empties the log. */
  forget(): Promise<void>;
  stop(): Promise<void>;
};

const LOOK_EVERY_MS = 15;
const BODIES_AT_ONCE = 5_000;

export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, "sink-process.ts"), [], { serialization: "advanced" });
  const waiting = new Map<number, (answer: never) => void>();
  const started = Promise.withResolvers<number>();
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let asked = 0;
  child.on("message", (said: { port: number } | { id: number; answer: never }) => {
    if ("port" in said) return started.resolve(said.port);
    waiting.get(said.id)?.(said.answer);
    waiting.delete(said.id);
  });
  child.once("error", started.reject);
  ended.then(() => started.reject(new Error("the sink ended")));

  function ask<T>(order: Order): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const id = ++asked;
    waiting.set(id, resolve);
    child.send({ id, order });
    return promise;
  }
  const count = () => ask<SinkCounts>({ kind: "count" });

  return {
    port: await started.promise,
    pid: child.pid ?? 0,
    misbehave: (rules, seed = 1) => ask({ kind: "misbehave", rules, seed }),
    count,
    async log() {
      const bodies: Body[] = [];
      for (;;) {
        const log = await ask<SinkLog>({ kind: "log", after: bodies.length, most: BODIES_AT_ONCE });
        bodies.push(...log.bodies);
        if (log.bodies.length < BODIES_AT_ONCE) return { ...log, bodies };
      }
    },
    async until(what, met, timeoutMs = 90_000) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const counts = await count();
        if (met(counts)) return counts;
        if (performance.now() > deadline)
          throw new Error(`${what}: not within ${timeoutMs} ms; the sink has ${JSON.stringify(counts)}`);
        await sleep(LOOK_EVERY_MS);
      }
    },
    forget: () => ask({ kind: "forget" }),
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
