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

const VERSION = 1;

/** What makes the tokens of one campaign's mail, a contact's each. */
export function tokenMaker(
  secrets: Pick<Secrets, "mac">,
  accountId: string,
  campaignId: string,
): (contactId: string) => string {
  // 33 bytes are 44 letters of their own, so each mail has only the other 32 to write.
  const shared = Buffer.concat([Buffer.of(VERSION), bytesOf(accountId), bytesOf(campaignId)]);
  const prefix = shared.toString("base64url");
  return (contactId) => {
    const mac = secrets.mac("mail-link", accountId, campaignId, contactId);
    return prefix + Buffer.concat([bytesOf(contactId), mac]).toString("base64url");
  };
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
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
