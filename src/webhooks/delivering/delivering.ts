/**
 * Delivers events to the endpoints of all accounts, in the `jobs` role. Each endpoint has a runner in one process; what one endpoint
 * does, no other hears of. The log is asked often whether there is anything new, since a notification with each event would make
 * every commit of the service wait for the one before it.
 */
import { findAccountsWithNews, oldestShown } from "../../events/events.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { claimWebhooks, renewLeases } from "./lease-store.ts";
import { type Runner, type RunnerTools, startRunner } from "./runner.ts";
import { sharePages } from "./shared-pages.ts";

export { type DeliveryRow, deliveryPartitions, insertDeliveries } from "./delivery-store.ts";

/**
 * A notification on this channel has the id of an endpoint that was made or changed. With the id of a delivery behind it, and a
 * space between, it says that this one is to be tried now. Without either, any endpoint may have changed.
 */
export const WEBHOOKS_CHANGED = "postrider_webhooks";

export type DeliveringOptions = Omit<RunnerTools, "readPage"> & {
  readonly listener: Pick<Listener, "listen">;
};

const LOOK_EVERY_MS = 5_000;
const ASK_EVERY_MS = 100;
/** Asking takes no more than a twentieth of the time, however many endpoints wait. */
const ASK_SHARE = 20;
/** One question that took long, such as while the machine stood still, doesn't silence it for longer. */
const ASK_AT_LEAST_EVERY_MS = 5_000;
const CLAIMED_AT_ONCE = 50;
/** An endpoint that was edited goes on with what is new after so long at most. */
const EDIT_GRACE_MS = 2_000;

export function startWebhookDelivery(options: DeliveringOptions): { stop(graceMs: number): Promise<void> } {
  const { db, clock, log, listener } = options;
  const tools: RunnerTools = { ...options, readPage: sharePages(db) };
  const runners = new Map<string, Runner>();
  const ending = new Set<Promise<void>>();
  let isStopping = false;
  let looking: Promise<void> | undefined;
  let isHinted = false;
  let asking: Promise<void> | undefined;
  let askTimer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const held = [...runners.values()];
    if (held.length > 0) {
      const valid = await renewLeases(
        db,
        held.map(({ webhook }) => webhook),
      );
      const old = held.filter(({ webhook }) => !valid.has(webhook.leased_by));
      // An endpoint that was edited goes on once its posts are written. Others don't wait for that.
      for (const runner of old) void end(runner, EDIT_GRACE_MS);
    }
    let claimed = CLAIMED_AT_ONCE;
    while (claimed === CLAIMED_AT_ONCE && !isStopping) {
      const some = await claimWebhooks(db, CLAIMED_AT_ONCE);
      for (const webhook of some) begin(startRunner(tools, webhook));
      claimed = some.length;
    }
  }

  function begin(runner: Runner): void {
    runners.set(runner.webhook.leased_by, runner);
    void runner.ended.then(() => {
      runners.delete(runner.webhook.leased_by);
      lookNow();
    });
  }

  function end(runner: Runner, graceMs: number): Promise<void> {
    runners.delete(runner.webhook.leased_by);
    const stopped = runner.stop(graceMs).finally(() => ending.delete(stopped));
    ending.add(stopped);
    return stopped;
  }

  function lookNow(): void {
    if (isStopping) return;
    if (looking) {
      isHinted = true;
      return;
    }
    looking = look()
      .catch((error) =>
        log.warn({ reason: error.message }, "the endpoints of webhooks could not be looked at"),
      )
      .finally(() => {
        looking = undefined;
        if (!isHinted) return;
        isHinted = false;
        lookNow();
      });
  }

  async function ask(): Promise<void> {
    const waiting = [...runners.values()].flatMap((runner) => {
      const after = runner.waitsAt();
      return after ? [{ runner, accountId: runner.webhook.account_id, after }] : [];
    });
    if (waiting.length === 0) return;
    const accounts = await findAccountsWithNews(db, waiting, oldestShown(clock));
    for (const { runner, accountId } of waiting) if (accounts.has(accountId)) runner.wake();
  }

  function askAfter(waitMs: number): void {
    if (isStopping) return;
    askTimer = setTimeout(() => {
      const startMs = performance.now();
      asking = ask()
        .catch((error) => log.warn({ reason: error.message }, "the log could not be read for webhooks"))
        .finally(() => askAfter(waitAfterAsking(performance.now() - startMs)));
    }, waitMs);
  }

  const timer = setInterval(lookNow, LOOK_EVERY_MS);
  listener.listen(WEBHOOKS_CHANGED, (payload) => {
    const [webhookId, deliveryId] = payload.split(" ");
    for (const runner of runners.values()) {
      if (webhookId && runner.webhook.id !== webhookId) continue;
      if (deliveryId === undefined) runner.recheck();
      else runner.hurry(deliveryId);
    }
    lookNow();
  });
  lookNow();
  askAfter(ASK_EVERY_MS);
  return {
    async stop(graceMs) {
      isStopping = true;
      clearInterval(timer);
      clearTimeout(askTimer);
      await Promise.all([looking, asking]);
      for (const runner of runners.values()) void end(runner, graceMs);
      await Promise.all(ending);
    },
  };
}

function waitAfterAsking(tookMs: number): number {
  return Math.min(ASK_AT_LEAST_EVERY_MS, Math.max(ASK_EVERY_MS, ASK_SHARE * tookMs));
}
