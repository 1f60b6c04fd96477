/** The password of a mailbox is sealed for its own row, so that it can't be moved to another. */
import type { Secrets } from "../../platform/secrets.ts";
import type { MailboxRow } from "./store.ts";

type MailboxKey = Pick<MailboxRow, "account_id" | "id">;

export function sealPassword(secrets: Secrets, key: MailboxKey, password: string): Buffer {
  return secrets.seal("mailbox", password, contextOf(key));
}

/** Returns undefined when the password was sealed under a key that is no longer there, or for another row. */
export function openPassword(secrets: Secrets, key: MailboxKey, sealed: Buffer): string | undefined {
  return secrets.open("mailbox", sealed, contextOf(key));
}

/** Returns undefined when the password is sealed under the current key already. */
export function resealPassword(secrets: Secrets, key: MailboxKey, sealed: Buffer): Buffer | undefined {
  return secrets.reseal("mailbox", sealed, contextOf(key));
}

function contextOf({ account_id, id }: MailboxKey): string {
  return `${account_id} ${id}`;
}
