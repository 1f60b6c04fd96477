/** Says from whom the mails of an account to its subscribers are. */
import type { AccountRow } from "../accounts/accounts.ts";
import { SANDBOX_TRANSPORT, type Wave } from "../delivery/delivery.ts";
import { SANDBOX_SENDER, type SenderDefaults, senderOf } from "../messages/messages.ts";

export type MailSender = {
  readonly name: string | null;
  readonly email: string;
  readonly replyTo: string | null;
};

const NONE = { sender: { name: null, email: null, replyTo: null } };

/**
 * The list's sender goes before the account's, as in campaigns. Where neither has one, the instance's address stands in, under the
 * account's name. It is undefined where there is none at all; in the sandbox, where nothing leaves, there always is one.
 */
export function chooseSender(
  { list, account }: { readonly list: SenderDefaults["list"]; readonly account: AccountRow },
  { transportId }: Pick<Wave, "transportId">,
  systemFrom: { readonly email: string } | undefined,
): MailSender | undefined {
  const { name, email, replyTo } = senderOf(NONE, { list, account });
  const address = email ?? (transportId === SANDBOX_TRANSPORT ? SANDBOX_SENDER : systemFrom?.email);
  return address === undefined ? undefined : { name, email: address, replyTo };
}
