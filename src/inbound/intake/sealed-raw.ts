/** What came in is sealed, since it may quote a whole mail with the address that it went to. */
import type { Secrets } from "../../platform/secrets.ts";

type Place = { readonly accountId: string; readonly id: string };

const contextOf = ({ accountId, id }: Place) => `${accountId} ${id} raw`;

/** Each byte is a character of Latin-1, so that mail, which is ASCII for the most part, doesn't grow when it is sealed. */
export function sealRaw(secrets: Secrets, place: Place, raw: Buffer): Buffer {
  return secrets.seal("inbound", raw.toString("latin1"), contextOf(place));
}

/** Returns undefined where no key opens it. */
export function openRaw(secrets: Secrets, place: Place, sealed: Buffer): Buffer | undefined {
  const opened = secrets.open("inbound", sealed, contextOf(place));
  return opened === undefined ? undefined : Buffer.from(opened, "latin1");
}
