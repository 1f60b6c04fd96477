/**
 * Unsubscribing by the link of a mail. What was asked for while the database is away is written to disk before it is answered, and
 * carried out first when it is back.
 */
import type { TxCtx } from "../../platform/context.ts";
import { createSpool, isTransient, keepReplaying } from "../spool/spool.ts";
import {
  carryOut,
  carryOutWithin,
  type LinkTarget,
  type UnsubscribeRequest,
  type UnsubscribeTools,
} from "./unsubscribe.ts";

export {
  type LinkTarget,
  type PageFacts,
  readPageFacts,
  takeBack,
  type UnsubscribeTools,
} from "./unsubscribe.ts";

/** Unsubscribes whom a mail to its unsubscribe address names, as one click does, in a transaction that is open already. */
export async function unsubscribeWithin(
  ctx: TxCtx,
  idsInEvents: UnsubscribeTools["idsInEvents"],
  target: LinkTarget,
  askedAt: Date,
): Promise<"left" | "already" | "nobody"> {
  const request = { scope: "topic", reason: null, alsoListIds: [] } as const;
  const { kind } = await carryOutWithin(ctx, idsInEvents, target, request, askedAt);
  return kind;
}

/** `at` is when those left who did: an undo of this very act names it. */
type Unsubscribed = {
  readonly kind: "left" | "already" | "nobody" | "recorded" | "nowhere";
  /** What was left: a mail's topic, its list, or all lists. */
  readonly scope: UnsubscribeRequest["scope"];
  readonly at: Date;
};

export type Unsubscribing = {
  /** `recorded`: it stands on disk. `nowhere`: it could be kept neither here nor there. */
  unsubscribe(target: LinkTarget, request: UnsubscribeRequest): Promise<Unsubscribed>;
  stop(): Promise<void>;
};

/** `at` is when it was asked for, in milliseconds since 1970: a consent after that stands. */
type Entry = { readonly target: LinkTarget; readonly request: UnsubscribeRequest; readonly at: number };

const MOST_SPOOLED_BYTES = 64 * 1_024 * 1_024;
/** A mail program waits some seconds for the answer of a one-click unsubscribe. */
const PATIENCE_MS = 2_000;
const REPLAY_EVERY_MS = 500;

export function startUnsubscribing(tools: UnsubscribeTools & { readonly folder: string }): Unsubscribing {
  const { clock, log, folder } = tools;
  const spool = createSpool<Entry>({
    onUnreadable: (path) => log.error({ path }, "unsubscribes on disk can't be read, and were set aside"),
    folder,
    mostBytes: MOST_SPOOLED_BYTES,
    now: () => clock.now().getTime(),
  });

  /** Carrying it out twice is harmless, so an attempt that came too late may still end well. */
  async function attempt(target: LinkTarget, request: UnsubscribeRequest, at: Date) {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, PATIENCE_MS, undefined);
    const done = carryOut(tools, target, request, at).catch((error) => {
      if (isTransient(error)) return undefined;
      throw error;
    });
    done.catch(() => undefined);
    return Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  const replaying = keepReplaying({
    spool,
    log,
    called: "unsubscribes",
    everyMs: REPLAY_EVERY_MS,
    most: 1,
    async replay(entries) {
      for (const { target, request, at } of entries) await carryOut(tools, target, request, new Date(at));
    },
  });

  return {
    async unsubscribe(target, request) {
      const at = clock.now();
      const done = await attempt(target, request, at);
      if (done !== undefined) return { ...done, at };
      const isKept = await spool.append({ target, request, at: at.getTime() }).catch((error) => {
        log.error({ err: error }, "an unsubscribe could be kept neither in the database nor on disk");
        return false;
      });
      return { kind: isKept ? "recorded" : "nowhere", scope: request.scope, at };
    },
    stop: () => replaying.stop(),
  };
}
