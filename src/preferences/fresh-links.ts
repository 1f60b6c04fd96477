/**
 * Mails somebody a link for what a preference page may not do: whoever holds a forwarded mail has its link, but not the mailbox. Each is
 * good for an hour, and there are three an hour at most, so that nobody is flooded.
 */
import type { AccountRow } from "../accounts/accounts.ts";
import type { TxCtx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { addSubscriberMail } from "../subscriber-mail/subscriber-mail.ts";
import type { HashAddress } from "../subscribers/subscribers.ts";
import type { LetterLocale } from "./letters/words.ts";
import { writeLinkLetter } from "./letters/write-letter.ts";
import { makeToken } from "./link-tokens.ts";
import { countLinksSince, findLink, insertLink, type LinkKind, type LinkRow, lockAsking } from "./store.ts";

const HOUR_MS = 3_600_000;
const LIMITS = [
  [HOUR_MS, 3],
  [24 * HOUR_MS, 6],
] as const;

export type LinkTools = {
  readonly secrets: Secrets;
  readonly hashAddress: HashAddress;
  readonly publicUrl: () => string;
};

type Address = { readonly address: string; readonly key: string };

type LinkRequest = {
  readonly kind: LinkKind;
  readonly account: AccountRow;
  readonly contactId: string;
  readonly listId: string | null;
  /** The address that the person has now. */
  readonly from: Address;
  /** Where the mail goes: the same, or the new address. */
  readonly to: Address;
  readonly locale: LetterLocale;
};

/** Nothing outside says whether a mail was sent, which is not told here either. */
export async function mailLink(ctx: TxCtx, tools: LinkTools, request: LinkRequest): Promise<void> {
  const { secrets, hashAddress, publicUrl } = tools;
  const { kind, contactId, listId, from, to, locale } = request;
  const now = ctx.clock.now();
  const toHash = hashAddress(to.key);
  await lockAsking(ctx.sql, ctx.accountId, toHash.toString("hex"));
  // Each kind counts by itself: who is flooded with one can still ask for another, and has links of the first in the mailbox.
  for (const [forMs, most] of LIMITS) {
    const since = new Date(now.getTime() - forMs);
    if ((await countLinksSince(ctx.sql, ctx.accountId, { kind, toHash, since })) >= most) return;
  }
  const id = newId(ctx.clock);
  await insertLink(ctx.sql, {
    account_id: ctx.accountId,
    id,
    kind,
    contact_id: contactId,
    to_hash: toHash,
    list_id: listId,
    new_address:
      kind === "new_address" ? secrets.seal("preferences", to.address, `${ctx.accountId} ${id}`) : null,
    created_at: now,
  });
  const url = `${publicUrl()}/p/link/${makeToken(secrets, ctx.accountId, id)}`;
  const told = { locale, senderName: request.account.name, from: from.address, to: to.address };
  await addSubscriberMail(ctx, secrets, {
    to: { email: to.address, name: null },
    listId,
    kind: `preferences-${kind.replaceAll("_", "-")}`,
    locale,
    letter: writeLinkLetter(kind, told, url),
  });
}

/** Finds a link that may still be used. */
export async function findGoodLink(
  { sql, clock }: Pick<TxCtx, "clock"> & { readonly sql: Parameters<typeof findLink>[0] },
  accountId: string,
  linkId: string,
): Promise<LinkRow | undefined> {
  const link = await findLink(sql, accountId, linkId);
  if (!link || link.used_at !== null) return undefined;
  return clock.now().getTime() - link.created_at.getTime() <= HOUR_MS ? link : undefined;
}

/** Returns undefined where no SECRET_KEY opens it. */
export function openNewAddress({ secrets }: Pick<LinkTools, "secrets">, link: LinkRow): string | undefined {
  return (
    (link.new_address && secrets.open("preferences", link.new_address, `${link.account_id} ${link.id}`)) ||
    undefined
  );
}
