/**
 * A sender's watch looks at the counts of its sources after groups of outcomes, and not for each message. It looks after a hard
 * bounce, and while accepted mails alone can make a difference; in a large campaign this is nearly never.
 */
import { type Guardrails, readGuardrails } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { insist } from "../ledger/ledger.ts";
import type { SourceOwner } from "../types.ts";
import { guardSource } from "./guard.ts";
import { judgeCounts, mayMeetByMails } from "./guardrail-rules.ts";
import { type Guarded, readGuarded } from "./guardrail-store.ts";

type WatchOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: SourceOwner;
};

export type GuardrailWatch = {
  /**
   * Is called before each batch. A sender that died between writing an outcome and its look has left a batch behind, and whoever
   * takes that one looks first. Returns false when the source is paused now.
   */
  beforeBatch(accountId: string, sourceId: string): Promise<boolean>;
  /** Is called once a group of outcomes is committed, and returns when the source is paused if it has to be. */
  afterOutcomes(accountId: string, sourceId: string, hasHardBounce: boolean): Promise<void>;
};

const MOST_KNOWN = 500;

export function createGuardrailWatch({ db, clock, log, owner }: WatchOptions): GuardrailWatch {
  /** For each source, whether accepted mails could still make a difference when it was last looked at. */
  const isEarly = createLruCache<boolean>(MOST_KNOWN);

  async function look(accountId: string, sourceId: string): Promise<boolean> {
    // Whatever commits between these two is seen by the look that follows it.
    const guarded = await readGuarded(db, accountId, sourceId);
    if (!guarded) {
      isEarly.set(sourceId, false);
      return true;
    }
    const limits = await readGuardrails(db, accountId);
    isEarly.set(sourceId, mayMeetByMails(guarded, limits));
    if (!hasNews(guarded, limits)) return true;
    const isPaused = await db.transaction((tx) =>
      guardSource(systemCtx({ clock, log }, tx, accountId), owner, sourceId),
    );
    return !isPaused;
  }

  return {
    beforeBatch: (accountId, sourceId) => look(accountId, sourceId),
    async afterOutcomes(accountId, sourceId, hasHardBounce) {
      if (!hasHardBounce && isEarly.get(sourceId) === false) return;
      await insist(() => look(accountId, sourceId));
    },
  };
}

function hasNews(guarded: Guarded, limits: Guardrails): boolean {
  return judgeCounts(guarded, limits).some(({ name }) => !guarded.met.includes(name));
}
