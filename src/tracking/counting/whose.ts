/**
 * Says whose a hit is, when it is counted. Mail that was sent carries the tokens of its day, so whoever withdrew since is found here:
 * their hits count as nobody's in particular, and nothing of them is kept.
 */
import { findManyMailed, isWave, type Mailed, readPersons } from "../../delivery/delivery.ts";
import { isTrackedInPerson, readTrackingModes, type TrackingMode } from "../../messages/messages.ts";
import type { Tx } from "../../platform/db/db.ts";
import { readTrackingConsents } from "../../subscribers/subscribers.ts";
import type { Hit } from "../hits/hits.ts";

type Named = Pick<Hit, "accountId" | "sourceId" | "contactId">;
type Message = Named & { readonly contactId: string };

/** Leaves out the contacts who may not be recorded: who refused, who never agreed where that is asked, and who is gone. */
export async function withoutUntracked<H extends Named>(tx: Tx, hits: readonly H[]): Promise<H[]> {
  const messages = new Map<string, Message>();
  for (const { accountId, sourceId, contactId } of hits)
    if (contactId !== null) messages.set(nameOf({ sourceId, contactId }), { accountId, sourceId, contactId });
  if (messages.size === 0) return [...hits];
  const tracked = await findTracked(tx, [...messages.values()]);
  return hits.map((hit) => (tracked.has(nameOf(hit)) ? hit : { ...hit, contactId: null }));
}

async function findTracked(tx: Tx, messages: readonly Message[]): Promise<ReadonlySet<string>> {
  const mailed = await findManyMailed(tx, messages);
  const sent = messages.flatMap((message, at) => {
    const found = mailed[at];
    return found ? [{ ...message, ...found }] : [];
  });
  const [ofWaves, ofRevisions] = [true, false].map((is) =>
    sent.filter((one) => isWave(one.sourceId, one) === is),
  ) as [typeof sent, typeof sent];
  return new Set([...(await trackedInWaves(tx, ofWaves)), ...(await trackedOf(tx, ofRevisions))].map(nameOf));
}

/** Mail of a wave carries a token only where its person may be tracked. Nothing is recorded of who was erased since. */
async function trackedInWaves<M extends Message>(tx: Tx, sent: readonly M[]): Promise<readonly M[]> {
  if (sent.length === 0) return [];
  const persons = await readPersons(tx, sent);
  return sent.filter((_one, at) => persons[at] !== undefined);
}

async function trackedOf<M extends Message & Mailed>(tx: Tx, sent: readonly M[]): Promise<readonly M[]> {
  const modes = await readTrackingModes(tx, [...new Map(sent.map((one) => [one.revisionId, one])).values()]);
  const onLists = sent.flatMap((one) => (one.listId === null ? [] : [{ ...one, listId: one.listId }]));
  const answers = await readTrackingConsents(tx, onLists);
  const consents = new Map(onLists.map((one, at) => [nameOf(one), answers[at]]));
  return sent.filter((one) => {
    const mode = modes.get(one.revisionId) as TrackingMode;
    // Mail that belongs to no list has nobody who was asked; a subscriber who is gone can't be asked any more.
    const consent = one.listId === null ? null : consents.get(nameOf(one));
    return consent !== undefined && isTrackedInPerson(mode, consent);
  });
}

function nameOf({ sourceId, contactId }: Pick<Named, "sourceId" | "contactId">): string {
  return `${sourceId} ${contactId}`;
}
