/** Secrets of endpoints are kept sealed, each for its own row. */
import type { KeyObject } from "node:crypto";
import { signingKey } from "../../platform/net/webhook-signing.ts";
import type { Secrets } from "../../platform/secrets.ts";

type Place = { readonly account_id: string; readonly id: string };

export function sealSecret(secrets: Secrets, place: Place, secret: string): Buffer {
  return secrets.seal("webhook", secret, contextOf(place));
}

function openSecret(secrets: Secrets, place: Place, sealed: Buffer): string | undefined {
  return secrets.open("webhook", sealed, contextOf(place));
}

/** Returns undefined where it is sealed under the current key already. */
export function resealSecret(secrets: Secrets, place: Place, sealed: Buffer): Buffer | undefined {
  return secrets.reseal("webhook", sealed, contextOf(place));
}

type Sealed = Place & {
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
  readonly previous_until: Date | null;
};

/** Returns the keys that are live, the newest first. A secret that doesn't open was sealed under another SECRET_KEY. */
export function liveKeys(secrets: Secrets, row: Sealed, now: Date): readonly KeyObject[] {
  return openKeys(secrets, row)(now);
}

/** Opens the secrets once for whoever signs many messages, since that takes as long as to sign one; says which are live at a time. */
export function openKeys(secrets: Secrets, row: Sealed): (now: Date) => readonly KeyObject[] {
  const open = (sealed: Buffer | null) => {
    const secret = sealed && openSecret(secrets, row, sealed);
    return secret ? [signingKey(secret)] : [];
  };
  const current = open(row.secret);
  const withPrevious = [...current, ...open(row.previous_secret)];
  return (now) => (row.previous_until !== null && row.previous_until > now ? withPrevious : current);
}

function contextOf({ account_id, id }: Place): string {
  return `${account_id} ${id}`;
}
