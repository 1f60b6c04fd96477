/**
 * Tells of opens and clicks as events, where somebody keeps them: the first open of a message and the first click of each of its
 * links, and once more the first by a person where a machine was there before.
 */
import { findManyMailed, isWave, type Mailed, readPersons } from "../../delivery/delivery.ts";
import { listKept, recordSystemEvents } from "../../events/events.ts";
import { readManyLinkUrls } from "../../messages/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { CountedHit } from "./count.ts";

export type First = { readonly type: "email.opened" | "email.clicked"; readonly hit: CountedHit };
export type IdsInEvents = (source: Mailed, contactId?: string) => Readonly<Record<string, string>>;
type Tally = { readonly all: number; readonly human: number };

/** Whether what was added is the first at all, or the first that a person did. */
export function isFirst(before: Tally, after: Tally): boolean {
  return (before.all === 0 && after.all > 0) || (before.human === 0 && after.human > 0);
}

/** Records them in the transaction that counts them. They are in the order of time. */
export async function recordFirsts(
  tx: Tx,
  { clock, idsInEvents }: { readonly clock: Clock; readonly idsInEvents: IdsInEvents },
  firsts: readonly First[],
): Promise<void> {
  if (firsts.length === 0) return;
  const accountIds = [...new Set(firsts.map(({ hit }) => hit.accountId))];
  const kept = await listKept(tx, accountIds, ["email.opened", "email.clicked"]);
  const names = new Set(kept.map(({ accountId, type }) => `${accountId} ${type}`));
  const told = firsts.filter(({ type, hit }) => names.has(`${hit.accountId} ${type}`));
  if (told.length === 0) return;
  const mailed = await findManyMailed(
    tx,
    told.map(({ hit }) => hit),
  );
  const revisions = new Map<string, { accountId: string; id: string }>();
  for (const [index, { type, hit }] of told.entries()) {
    const id = mailed[index]?.revisionId;
    if (id && type === "email.clicked") revisions.set(id, { accountId: hit.accountId, id });
  }
  const urls = revisions.size > 0 ? await readManyLinkUrls(tx, [...revisions.values()]) : new Map();
  const persons = await readPersonsOf(tx, told, mailed);
  const events = told.flatMap(({ type, hit }, index) => {
    const source = mailed[index];
    if (!source) return [];
    const { subscriberId, revisionId, step } = source;
    const url: string | null = (hit.link === null ? null : urls.get(revisionId)?.[hit.link]) ?? null;
    const data = {
      ...idsInEvents(source, hit.contactId ?? undefined),
      ...(step !== null && { node: step }),
      ...(subscriberId
        ? { subscriber_id: toPublicId("sub", subscriberId) }
        : { contact_id: toPublicId("con", persons[index] ?? hit.contactId ?? "") }),
      at: hit.at.toISOString(),
      human: hit.machine === "",
      ...(hit.machine && { reason: hit.machine }),
      ...(type === "email.clicked" && { position: (hit.link ?? 0) + 1, url: url && withoutAt(url) }),
    };
    return [{ type, accountId: hit.accountId, data }];
  });
  await recordSystemEvents({ sql: tx, clock }, events);
}

/** In a wave, the ledger's rows are named by other ids than those of contacts. */
async function readPersonsOf(
  tx: Tx,
  told: readonly First[],
  mailed: readonly (Mailed | undefined)[],
): Promise<readonly (string | undefined)[]> {
  const isOfWave = ({ hit }: First, at: number) => {
    const source = mailed[at];
    return source !== undefined && isWave(hit.sourceId, source);
  };
  if (!told.some(isOfWave)) return [];
  return readPersons(
    tx,
    told.map(({ hit }) => hit),
  );
}

/** An event never has an address in it; in a path or a query, `%40` means the same as `@` (RFC 3986 §2.1). */
function withoutAt(url: string): string {
  return url.replaceAll("@", "%40");
}
