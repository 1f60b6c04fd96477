/** The e-mail addresses of users follow the same rules as all others. */
import { parseAddress } from "../../mail/addresses.ts";

export function isEmail(text: string): boolean {
  return parseAddress(text).ok;
}

/**
 * Returns the form of an address that is compared and must be unique. For a text that is no address it returns a form
 * that no user has.
 */
export function emailKey(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.key : email.normalize("NFC").toLowerCase();
}
