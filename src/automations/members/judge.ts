/** Judges people by the rules of a segment, and says who has come in and who has left since they were last judged. */
import type { TxCtx } from "../../platform/context.ts";
import { type FactReader, holdPresent, type Rule } from "../../subscribers/subscribers.ts";
import { exitOf } from "../steps/steps.ts";
import { addMembers, findMembers, removeMembers, type Watch } from "./member-store.ts";

export type Change = {
  readonly subscriberId: string;
  readonly type: "segment_entered" | "segment_left";
  /** When they came to the list. */
  readonly createdAt: Date;
};

/** Whoever can't be mailed is in no segment here, and comes in once they can be again. Whoever isn't on the list is left out. */
export async function judgeMembers(
  ctx: TxCtx,
  reader: FactReader,
  watch: Pick<Watch, "id">,
  rule: Rule,
  subscriberIds: readonly string[],
): Promise<readonly Change[]> {
  const { sql: tx, accountId, clock } = ctx;
  if (subscriberIds.length === 0) return [];
  const people = await reader.read(subscriberIds, [rule], undefined, clock.now());
  const members = await findMembers(tx, accountId, watch.id, subscriberIds);
  const changes = [...people].flatMap(([subscriberId, { why, matches, createdAt }]): Change[] => {
    const isIn = !exitOf(why) && matches[0] === true;
    if (isIn === members.has(subscriberId)) return [];
    return [{ subscriberId, type: isIn ? "segment_entered" : "segment_left", createdAt }];
  });
  if (changes.length === 0) return [];
  // Nobody is remembered while they are being forgotten, and who forgets somebody has not removed half of the rows.
  const present = await holdPresent(
    tx,
    accountId,
    changes.map(({ subscriberId }) => subscriberId),
  );
  const held = changes.filter(({ subscriberId }) => present.has(subscriberId));
  const idsOf = (wanted: Change["type"]) =>
    held.flatMap(({ subscriberId, type }) => (type === wanted ? [subscriberId] : []));
  const [came, left] = [idsOf("segment_entered"), idsOf("segment_left")];
  if (came.length > 0) await addMembers(tx, accountId, watch.id, came);
  if (left.length > 0) await removeMembers(tx, accountId, watch.id, left);
  return held;
}

/**
 * Says whether it is known that somebody was not in the segment before, when they are judged: the first look has come to them, or they came to the list
 * after it began. Others may have been in it for years.
 */
export function isExact(
  { lookedAt, looksUntil, after }: Watch,
  { subscriberId, createdAt }: Change,
): boolean {
  if (lookedAt || !looksUntil || createdAt > looksUntil) return true;
  if (!after) return false;
  const [mine, last] = [createdAt.getTime(), after.createdAt.getTime()];
  return mine < last || (mine === last && subscriberId <= after.id);
}
