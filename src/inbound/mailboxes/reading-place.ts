/**
 * These rules say where to go on reading a folder. A mail's number (UID) holds as long as UIDVALIDITY stays the same (RFC 9051
 * §2.3.1.1), but servers lie about both. No I/O happens here.
 */
import type { Folder } from "./imap.ts";

export type Place = {
  readonly uid_validity: number | null;
  readonly last_uid: number;
  readonly restarted_at: Date | null;
};

/** A folder whose numbers change more often than this isn't begun anew: each time, a thousand mails would be fetched again. */
const ANEW_EVERY_MS = 3_600_000;

/** `anew`: what was read so far says nothing. `unstable`: that was so a short time ago already. */
export function placeToRead(place: Place, folder: Folder, now: Date): "go_on" | "anew" | "unstable" {
  const isAnother = place.uid_validity !== folder.uidValidity || wasReset(place, folder);
  if (!isAnother) return "go_on";
  const sinceMs = place.restarted_at
    ? now.getTime() - place.restarted_at.getTime()
    : Number.POSITIVE_INFINITY;
  return sinceMs < ANEW_EVERY_MS ? "unstable" : "anew";
}

/** The next number is above all that there ever were; a lower one shows that the server began to count anew and doesn't say so. */
function wasReset({ last_uid }: Place, { uidNext }: Folder): boolean {
  return uidNext !== null && uidNext <= last_uid;
}

const LARGEST_UID = 2 ** 32 - 1;
const FIRST_WINDOW = 2_000;
const GROWTH = 8;

/**
 * Returns the ranges of numbers to ask for one after the other until there is a mail in one. Each is eight times as wide as the
 * one before, so a gap of any width takes nine steps, and an answer has at most eight times the mails of the gap. UIDNEXT
 * only ends it, and the first range is asked for in any case, since a server that lies about it would hide its mail.
 */
export function* windowsAfter(lastUid: number, uidNext: number | null): Generator<string> {
  let from = lastUid + 1;
  for (let width = FIRST_WINDOW; from <= LARGEST_UID; width *= GROWTH) {
    const to = Math.min(from + width - 1, LARGEST_UID);
    yield `${from}:${to}`;
    from = to + 1;
    if (uidNext !== null && from >= uidNext) return;
  }
}

/** Returns the highest number up to which all of `listed`, which ascends, are done. */
export function lastDone(lastUid: number, listed: readonly number[], done: ReadonlySet<number>): number {
  const firstLeft = listed.findIndex((uid) => !done.has(uid));
  const isAll = firstLeft < 0;
  return (isAll ? listed.at(-1) : listed[firstLeft - 1]) ?? lastUid;
}

/** Puts mails into groups, so that what is held in memory is bounded by `mostBytes`, whatever the number of mails. */
export function groupsOf<M extends { readonly size: number }>(
  mails: readonly M[],
  { most, mostBytes, mostBytesOfOne }: { most: number; mostBytes: number; mostBytesOfOne: number },
): M[][] {
  const groups: M[][] = [];
  let bytes = 0;
  for (const mail of mails) {
    const size = Math.min(mail.size, mostBytesOfOne);
    const last = groups.at(-1);
    if (last && last.length < most && bytes + size <= mostBytes) {
      last.push(mail);
      bytes += size;
    } else {
      groups.push([mail]);
      bytes = size;
    }
  }
  return groups;
}
