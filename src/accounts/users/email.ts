/** E-mail addresses of users: the same rules as for anybody else's. */
import { parseAddress } from "../../mail/addresses.ts";

export function isEmail(text: string): boolean {
  return parseAddress(text).ok;
}

/** The form that is compared and must be unique. Of what is no address, something that no user has. */
export function emailKey(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.key : email.normalize("NFC").toLowerCase();
}
