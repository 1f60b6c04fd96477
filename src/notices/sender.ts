/** Says from whom the product's own mail is. */
import type { AccountRow } from "../accounts/accounts.ts";
import { SANDBOX_TRANSPORT, type Wave } from "../delivery/delivery.ts";
import { parseAddress } from "../mail/addresses.ts";
import { SANDBOX_SENDER } from "../messages/messages.ts";
import { StartupError } from "../platform/startup-error.ts";

export type OwnSender = { readonly name: string | null; readonly email: string };

/** Reads SYSTEM_FROM, which is undefined where the instance has no sender of its own. */
export function readSystemFrom(text: string | undefined): OwnSender | undefined {
  if (text === undefined) return undefined;
  const [, name = "", inBrackets] = /^\s*(?:"?([^"<>]*?)"?\s*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const parsed = parseAddress(inBrackets ?? text);
  if (parsed.ok) return { name: name.trim() || null, email: parsed.address };
  throw new StartupError(
    `SYSTEM_FROM is no e-mail address: ${parsed.detail}`,
    "mend it in the environment or in .env, such as Postrider <postrider@example.com>",
  );
}

/**
 * By the account's own server goes the account's own sender first, which that server is known to take; by the instance's server the
 * instance's. It is undefined where neither has one. In the sandbox, where nothing leaves, there always is one.
 */
export function senderFor(
  account: Pick<AccountRow, "name" | "from_name" | "from_email">,
  { transportId, isInstance }: Pick<Wave, "transportId" | "isInstance">,
  systemFrom: OwnSender | undefined,
): OwnSender | undefined {
  const own = account.from_email
    ? { name: account.from_name ?? account.name, email: account.from_email }
    : undefined;
  if (transportId === SANDBOX_TRANSPORT) return systemFrom ?? own ?? { name: null, email: SANDBOX_SENDER };
  return isInstance ? (systemFrom ?? own) : (own ?? systemFrom);
}
