/** Rotates a domain's keys while processes of the program are killed, as a client does that hears no answer and asks again. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessName, Product } from "../servers/product.ts";
import { type SenderDomain, selectorsOf } from "./sender-domain.ts";

export type Rotated = {
  /** The number of requests until one was answered with success. */
  readonly requests: number;
  readonly answeredMs: number;
  /** Whether exactly the keys that stood by sign now, and those that signed retire. */
  readonly isRight: boolean;
  readonly retiring: readonly string[];
};

type Options = {
  readonly product: Product;
  readonly domain: SenderDomain;
  readonly random: () => number;
  readonly note: (line: string) => void;
  /** Waits until mail leaves again after a kill. */
  readonly untilSending: () => Promise<void>;
};

/** Each of these is killed once for each request but the last. */
const KILLED: readonly ProcessName[] = ["api", "jobs", "first sender", "second sender"];
const KILLED_REQUESTS = 3;
/** A rotation takes about so long, most of it for new keys; a kill that comes after its answer breaks nothing. */
const KILL_WITHIN_MS = 700;
const MOST_REQUESTS = 10;

export async function rotateUnderKills(options: Options): Promise<Rotated> {
  const { product, domain, note } = options;
  const before = await domain.keys();
  const path = `/v1/domains/${domain.id}/rotate_key`;
  const headers = { "idempotency-key": randomUUID() };
  const rotate = async () => {
    const answer = await product.ask("POST", path, undefined, headers).catch(() => undefined);
    return { status: answer?.status, atMs: Date.now() };
  };
  for (let requests = 1; requests <= MOST_REQUESTS; requests++) {
    await domain.keys();
    await options.untilSending();
    const kills = requests <= KILLED_REQUESTS ? killAll(options) : [];
    const [{ status, atMs }] = await Promise.all([rotate(), ...kills]);
    note(`rotation, request ${requests}: ${status ?? "no answer"}`);
    if (status !== 200) continue;
    const after = await domain.keys();
    const isRight =
      `${selectorsOf(after, "active")}` === `${selectorsOf(before, "standby")}` &&
      selectorsOf(before, "active").every((one) => selectorsOf(after, "retiring").includes(one));
    return { requests, answeredMs: atMs, isRight, retiring: selectorsOf(before, "active") };
  }
  throw new Error(`no rotation within ${MOST_REQUESTS} requests`);
}

function killAll({ product, random, note }: Options): Promise<void>[] {
  return KILLED.map(async (name) => {
    const afterMs = Math.round(random() * KILL_WITHIN_MS);
    await sleep(afterMs);
    await product.killAndRestart(name);
    note(`kill -9 of the ${name}, ${afterMs} ms after the request`);
  });
}
