/** What a message takes from its list and its account: the sender, the postal address, the fields, and the way it leaves. */
import { type AccountRow, getAccount } from "../accounts/accounts.ts";
import { ownTransportHost } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import {
  allFields,
  type FieldRow,
  findList,
  findTopic,
  type ListRow,
  type TopicRow,
} from "../subscribers/subscribers.ts";
import type { Message } from "./message.ts";

export type SenderDefaults = {
  readonly list: ListRow | undefined;
  readonly topic: TopicRow | undefined;
  readonly account: AccountRow | undefined;
  readonly fields: readonly FieldRow[];
  /** The host of the account's own transport; undefined where it has none. */
  readonly ownHost: string | undefined;
  /** The host of the server that its mail leaves by: the account's own transport, or the instance's. Mail to made-up people leaves by none. */
  readonly transportHost: string | undefined;
  /** True where there is none, so that its mail goes into the sandbox. */
  readonly isSandbox: boolean;
};

export async function readSenderDefaults(
  ctx: Ctx,
  { relayHost }: { readonly relayHost: string | undefined },
  { listId, topicId, stream }: Pick<Message, "listId" | "topicId" | "stream">,
): Promise<SenderDefaults> {
  const [list, topic, account, fields, ownHost] = await Promise.all([
    listId ? findList(ctx.sql, ctx.accountId, listId) : undefined,
    topicId ? findTopic(ctx.sql, ctx.accountId, topicId) : undefined,
    getAccount(ctx.sql, ctx.accountId),
    allFields(ctx.sql, ctx.accountId),
    ownTransportHost(ctx.sql, ctx.accountId, stream, relayHost !== undefined),
  ]);
  const transportHost = list?.is_sample ? undefined : (ownHost ?? relayHost);
  return { list, topic, account, fields, ownHost, transportHost, isSandbox: transportHost === undefined };
}

export type Sender = {
  readonly name: string | null;
  /** Null where nobody has given one. */
  readonly email: string | null;
  readonly replyTo: string | null;
};

type Giver = {
  readonly from_name: string | null;
  readonly from_email: string | null;
  readonly reply_to: string | null;
};

type AccountAsGiver = Giver & { readonly name: string };

/**
 * The message's own sender goes before the list's, and that before the account's. No name is shown with an address that was
 * chosen without it: it comes from who gave the address or from who stands closer to the mail, else it is the account's name.
 */
export function senderOf(
  { sender }: Pick<Message, "sender">,
  { list, account }: { readonly list: Giver | undefined; readonly account: AccountAsGiver | undefined },
): Sender {
  const own: Giver = { from_name: sender.name, from_email: sender.email, reply_to: sender.replyTo };
  const closestFirst = [own, list, account];
  const addressed = closestFirst.findIndex((one) => one?.from_email != null);
  const namers = addressed < 0 ? closestFirst : closestFirst.slice(0, addressed + 1);
  return {
    name: namers.find((one) => one?.from_name != null)?.from_name ?? account?.name ?? null,
    email: closestFirst[addressed]?.from_email ?? null,
    replyTo: closestFirst.find((one) => one?.reply_to != null)?.reply_to ?? null,
  };
}

export function postalAddressOf({ list, account }: Pick<SenderDefaults, "list" | "account">): string | null {
  return list?.postal_address ?? account?.postal_address ?? null;
}

/** In the sandbox, where nothing leaves, a message needs no sender. `.invalid` is nobody's for ever (RFC 2606 §2). */
export const SANDBOX_SENDER = "sender@sandbox.invalid";

/** What a template may read of the list; null for mail that belongs to none. */
export function listNameOf({ listId }: Pick<Message, "listId">, { list }: Pick<SenderDefaults, "list">) {
  return listId === null ? null : { id: toPublicId("lst", listId), name: list?.name ?? "" };
}
