/**
 * The addresses inside a mail that lead back here. All of one mail carry the same token, so a mail costs one MAC, whatever
 * the number of its links.
 *
 * The token is base64url of: one byte, the version 1; the account's, the campaign's and the contact's uuid, 16 bytes each;
 * a 16-byte MAC (purpose `mail-link`) over those three in hexadecimal with hyphens. `/u/` unsubscribes, `/p/` is the
 * preferences, `/v/` the mail as a page, `/o/` the pixel, `/c/TOKEN/N` the link with number N of the campaign's frozen table.
 */
import type { Secrets } from "../platform/secrets.ts";

export type MailLinks = {
  readonly unsubscribe: string;
  readonly preferences: string;
  readonly view: string;
  readonly linkBase: string;
  readonly pixel: string;
};

const VERSION = "01";

/** What makes the tokens of one campaign's mail, from the contact's id. */
export function tokenMaker(
  secrets: Pick<Secrets, "mac">,
  accountId: string,
  campaignId: string,
): (contactId: string) => string {
  // 33 bytes are 44 letters of their own: the other 32 are all that a mail has to write, in one place for all of them.
  const shared = Buffer.from(`${VERSION}${accountId}${campaignId}`.replaceAll("-", ""), "hex");
  const prefix = shared.toString("base64url");
  const own = Buffer.alloc(32);
  return (contactId) => {
    own.write(contactId.replaceAll("-", ""), "hex");
    own.set(secrets.mac("mail-link", accountId, campaignId, contactId), 16);
    return prefix + own.toString("base64url");
  };
}

/** In tests and previews: it is no token, so nothing can come of it. */
export const INERT_TOKEN = "test";

export function linksFor(publicUrl: string, token: string): MailLinks {
  return {
    unsubscribe: `${publicUrl}/u/${token}`,
    preferences: `${publicUrl}/p/${token}`,
    view: `${publicUrl}/v/${token}`,
    linkBase: `${publicUrl}/c/${token}/`,
    pixel: `${publicUrl}/o/${token}`,
  };
}
