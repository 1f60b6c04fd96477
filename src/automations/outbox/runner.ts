/**
 * Tells what steps have written into the outbox, once a second or when a notification says so. A row is claimed for a minute, told, and
 * removed: whoever dies in between leaves it to be told again, under the same id. Any number of processes do this at once.
 */
import { recordEvent } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { toPublicId } from "../../platform/ids.ts";
import { startLooking } from "../../platform/jobs/looking.ts";
import type { Log } from "../../platform/log.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import { postWebhook } from "../../platform/net/post-webhook.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { messageBody, messageId } from "./message.ts";
import {
  claimSome,
  findWaiting,
  holdClaimed,
  type OutboxRow,
  postpone,
  removeTold,
  type Waiting,
  watchOutbox,
} from "./outbox-store.ts";
import { pauseAfter, waitAfter } from "./retries.ts";
import { readStepKeys } from "./secret.ts";

/** Mails people of the account what a step says, in this transaction. `occasionId` is the same for every try. */
type TellPeople = (
  ctx: TxCtx,
  told: {
    readonly occasionId: string;
    readonly automationId: string;
    readonly subscriberId: string;
    readonly to: readonly string[];
    readonly subject: string;
    readonly text: string;
  },
) => Promise<void>;

type OutboxTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly client: GuardedClient;
  readonly tellPeople: TellPeople;
};

const LOOK_EVERY_MS = 1_000;
/** Longer than a try takes, which has 15 seconds. */
const CLAIMED_MS = 60_000;
const MOST_AT_ONCE = 64;
/** One step, whose receiver may hang, has so many of them at most. */
const MOST_OF_ONE = 4;
/** Receivers that take their 15 seconds for each post never fail, so no account has more than a share of all posts, however many steps it has. */
const MOST_OF_ACCOUNT = 8;

type Outbox = { stop(graceMs: number): Promise<void> };

export function startOutbox(tools: OutboxTools & { readonly listener: Pick<Listener, "listen"> }): Outbox {
  const { db, clock, log } = tools;
  const underWay = createTally();
  const telling = new Set<Promise<void>>();
  const failures = new Map<string, { inARow: number; untilMs: number }>();

  const how = { log, failed: "what steps tell could not be looked at", everyMs: () => LOOK_EVERY_MS };
  const { lookNow, stop } = startLooking(how, async (isStopped) => {
    for (const waiting of await findWaiting(db, clock.now())) {
      const limit = Math.min(
        MOST_OF_ONE - underWay.of(stepOf(waiting.automationId, waiting.node)),
        MOST_OF_ACCOUNT - underWay.of(waiting.accountId),
        MOST_AT_ONCE - telling.size,
      );
      if (limit <= 0 || isStopped() || isLeftAlone(waiting)) continue;
      const now = clock.now();
      const until = new Date(now.getTime() + CLAIMED_MS);
      for (const row of await claimSome(db, waiting, { now, until, limit })) begin(row);
    }
  });

  function isLeftAlone({ automationId, node }: Waiting): boolean {
    return (failures.get(stepOf(automationId, node))?.untilMs ?? 0) > clock.monotonicMs();
  }

  function begin(row: OutboxRow): void {
    const { account_id: accountId } = row;
    const step = stepOf(row.automation_id, row.node);
    underWay.add(step, 1);
    underWay.add(accountId, 1);
    const told = tell(tools, row)
      .then((isWell) => noteHealth(step, isWell))
      .catch((error) => log.warn({ reason: error.message }, "what a step tells could not be told just now"))
      .finally(() => {
        telling.delete(told);
        underWay.add(step, -1);
        underWay.add(accountId, -1);
        lookNow();
      });
    telling.add(told);
  }

  function noteHealth(step: string, isWell: boolean): void {
    if (isWell) return void failures.delete(step);
    const inARow = (failures.get(step)?.inARow ?? 0) + 1;
    failures.set(step, { inARow, untilMs: clock.monotonicMs() + pauseAfter(inARow) });
  }

  watchOutbox(tools.listener, lookNow);
  return {
    async stop(graceMs) {
      await stop();
      // What is still on its way then is told again by another process.
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all(telling), promise]);
      clearTimeout(end);
    },
  };
}

const stepOf = (automationId: string, node: string) => `${automationId} ${node}`;

type Tally = { of(id: string): number; add(id: string, by: number): void };

/** Counts by id, and keeps nothing of what is at nought. */
function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (id: string) => counts.get(id) ?? 0;
  return {
    of,
    add(id, by) {
      if (of(id) + by === 0) counts.delete(id);
      else counts.set(id, of(id) + by);
    },
  };
}

/** Tells one row, and returns false where the receiver isn't well. One that says 410 is: it wants no such post. */
async function tell(tools: OutboxTools, row: OutboxRow): Promise<boolean> {
  if (row.kind === "notify") {
    await notifyPeople(tools, row);
    return true;
  }
  const { db, secrets, client, clock } = tools;
  const keys = await readStepKeys(db, secrets, row.account_id, row.automation_id, clock.now());
  const message = { url: row.told.url, id: messageId(row), body: messageBody(row), keys };
  const { outcome, attempt, retryAfterMs } = await postWebhook(client, clock, message);
  if (outcome === "delivered") {
    await removeTold(db, row);
    return true;
  }
  const reason = attempt.failure ?? `status ${attempt.status}`;
  const waitMs = outcome === "gone" ? undefined : waitAfter(row.attempts, retryAfterMs, Math.random());
  if (waitMs === undefined) await giveUp(tools, row, reason);
  else await postpone(db, row, new Date(clock.now().getTime() + waitMs), reason);
  return outcome === "gone";
}

/** The mail is accepted in the transaction that removes the row, so it is told once. */
async function notifyPeople(tools: OutboxTools, row: Extract<OutboxRow, { kind: "notify" }>): Promise<void> {
  await tools.db.transaction(async (tx) => {
    if (!(await holdClaimed(tx, row))) return;
    await tools.tellPeople(systemCtx(tools, tx, row.account_id), {
      occasionId: row.id,
      automationId: row.automation_id,
      subscriberId: row.subscriber_id,
      ...row.told,
    });
    await removeTold(tx, row);
  });
}

async function giveUp(tools: OutboxTools, row: OutboxRow, reason: string): Promise<void> {
  await tools.db.transaction(async (tx) => {
    // Whoever was forgotten meanwhile is named nowhere any more.
    if (!(await holdClaimed(tx, row))) return;
    await removeTold(tx, row);
    await recordEvent(systemCtx(tools, tx, row.account_id), {
      type: "automation.webhook_failed",
      data: {
        automation_id: toPublicId("aut", row.automation_id),
        subscriber_id: toPublicId("sub", row.subscriber_id),
        node: row.node,
        reason,
      },
    });
  });
}
