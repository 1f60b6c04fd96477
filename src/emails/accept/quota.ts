/** Refuses mail where the mails of the account's period or day are used up. */
import { overQuota, readMailRoom } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import type { AppError } from "../../platform/problems.ts";

/** What is left for mail that is accepted now. What is used up otherwise stands beside it: the period's mails, or those of the day. */
type MailRoom = {
  readonly left: number;
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Date;
};

/** Finds how many mails an account may hand over now, of which some are wanted; undefined where there are more than enough. */
export type RoomFinder = (ctx: Ctx, wanted: number) => Promise<MailRoom | undefined>;

/** So long a process takes for granted what it found, less what it accepted since, while at least so many are left besides. */
const ROOM_KNOWN_MS = 1_000;
const FAR = 1_000;
const MOST_KNOWN = 10_000;

/**
 * Returns a function that looks once a second for an account which is far from its limit, since counting what waits may cost more than storing a
 * mail. Near the limit it looks each time. What several processes accept too much waits, and isn't sent.
 */
export function createRoomFinder(read: typeof readMailRoom = readMailRoom): RoomFinder {
  const known = createLruCache<{ left: number; readonly atMs: number }>(MOST_KNOWN);
  return async ({ sql, accountId, clock }, wanted) => {
    const atMs = clock.monotonicMs();
    const found = known.get(accountId);
    if (found && atMs - found.atMs < ROOM_KNOWN_MS && found.left - wanted >= FAR) {
      found.left -= wanted;
      return undefined;
    }
    const room = await read(sql, accountId, clock.now(), wanted);
    if (!room) return undefined;
    if (room.left - wanted >= FAR) known.set(accountId, { left: room.left - wanted, atMs });
    else known.delete(accountId);
    return room.left >= wanted ? undefined : room;
  };
}

type Wanting = {
  readonly recipients: readonly { readonly suppressedFor: string | null }[];
  readonly wave: { readonly isLimited: boolean };
  readonly sendAt: Date | null;
  readonly own: unknown;
};

/**
 * Says how many mails of the account's it needs now. The product's own mail, and that of somebody who signs up, is never refused: it waits where
 * there is no room. What is scheduled is asked for when it is sent.
 */
function mailsWanted({ recipients, wave, sendAt, own }: Wanting): number {
  if (own || !wave.isLimited || sendAt !== null) return 0;
  return recipients.filter(({ suppressedFor }) => suppressedFor === null).length;
}

/** Returns what is refused of mails that are handed over together: each that doesn't fit into what those before it left. */
export async function findRefused<M extends Wanting>(
  ctx: Ctx,
  findRoom: RoomFinder,
  mails: readonly M[],
): Promise<ReadonlyMap<M, AppError>> {
  const refused = new Map<M, AppError>();
  const wanted = mails.reduce((sum, one) => sum + mailsWanted(one), 0);
  const room = wanted > 0 ? await findRoom(ctx, wanted) : undefined;
  if (!room) return refused;
  let { left } = room;
  for (const one of mails) {
    const its = mailsWanted(one);
    if (its === 0) continue;
    if (its <= left) left -= its;
    else refused.set(one, overQuota(room));
  }
  return refused;
}
