/**
 * Keeps a flood of events from becoming a flood of mails: what is beyond a number an hour is held back, and told of in one mail
 * when the hour is over.
 */
import { lockUsers, type UserRow } from "../accounts/accounts.ts";
import type { TxCtx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import { addJob, defineJob } from "../platform/jobs/jobs.ts";
import type { Notice } from "./notice-parts.ts";
import { claimMails, countMailsOfEach } from "./store.ts";

const HOUR_MS = 3_600_000;
/** So many notices an hour a user is mailed one by one. Those about security are counted apart, or others could crowd them out. */
const MOST_NOTICES_AN_HOUR = 10;

export type SummaryPayload = { account_id: string; occasion_id: string };

/** Mails the users of an account how much was held back. */
export const sumUpKind = defineJob<SummaryPayload>({
  name: "sum_up_notices",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

/**
 * Returns those users who may be mailed of the event now. For the others it is noted, and summed up when the hour of the clock is over.
 * The users are locked, so that events at the same time can't get more than their number.
 */
export async function holdBack(
  ctx: TxCtx,
  eventId: string,
  { kind, to }: Pick<Notice, "kind" | "to">,
): Promise<readonly UserRow[]> {
  const { sql, accountId, clock } = ctx;
  const ids = to.map(({ id }) => id);
  await lockUsers(sql, accountId, ids);
  const now = clock.now();
  const mailed = await countMailsOfEach(sql, accountId, ids, kind, new Date(now.getTime() - HOUR_MS));
  const isFull = ({ id }: UserRow) => (mailed.get(id) ?? 0) >= MOST_NOTICES_AN_HOUR;
  const held = to.filter(isFull).map(({ id }) => id);
  if (held.length > 0) {
    await claimMails(sql, accountId, { id: eventId, kind: `held_${kind}` }, held, now);
    const runAt = new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
    const payload = { account_id: accountId, occasion_id: newId(clock) };
    await addJob(sql, sumUpKind, payload, { runAt, key: `sum up ${accountId} ${runAt.toISOString()}` });
  }
  return to.filter((user) => !isFull(user));
}
