/** What a campaign takes from its surroundings: sender and postal address of its list and its account, and its fields. */
import { type AccountRow, getAccount } from "../accounts/accounts.ts";
import type { ContentSource } from "../content/content.ts";
import { ownTransportHost } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import { allFields, type FieldRow, findList, type ListRow } from "../subscribers/subscribers.ts";
import type { Editable } from "./input.ts";

export type Setting = {
  readonly list: ListRow | undefined;
  readonly account: AccountRow | undefined;
  readonly fields: readonly FieldRow[];
  /** Of the account's own transport; undefined where it has none. */
  readonly ownHost: string | undefined;
  /** Of what its mail leaves by: the account's own transport, or the instance's. */
  readonly transportHost: string | undefined;
  /** Its mail leaves by neither. */
  readonly isSandbox: boolean;
};

export async function readSetting(
  ctx: Ctx,
  { relayHost }: { readonly relayHost: string | undefined },
  listId: string,
): Promise<Setting> {
  const [list, account, fields, ownHost] = await Promise.all([
    listId ? findList(ctx.sql, ctx.accountId, listId) : undefined,
    getAccount(ctx.sql, ctx.accountId),
    allFields(ctx.sql, ctx.accountId),
    ownTransportHost(ctx.sql, ctx.accountId, "campaign"),
  ]);
  const transportHost = ownHost ?? relayHost;
  return { list, account, fields, ownHost, transportHost, isSandbox: transportHost === undefined };
}

export type Sender = {
  readonly name: string | null;
  /** Null where nobody has given one. */
  readonly email: string | null;
  readonly replyTo: string | null;
};

/**
 * The campaign's own before the list's before the account's. No name is shown with an address that was chosen without it:
 * it comes from who gave the address or from who stands closer to the mail, else it is the account's own name.
 */
export function senderOf(campaign: Editable, { list, account }: Setting): Sender {
  const closestFirst = [campaign, list, account];
  const addressed = closestFirst.findIndex((one) => one?.from_email != null);
  const namers = addressed < 0 ? closestFirst : closestFirst.slice(0, addressed + 1);
  return {
    name: namers.find((one) => one?.from_name != null)?.from_name ?? account?.name ?? null,
    email: closestFirst[addressed]?.from_email ?? null,
    replyTo: campaign.reply_to ?? list?.reply_to ?? account?.reply_to ?? null,
  };
}

export function postalAddressOf({ list, account }: Setting): string | null {
  return list?.postal_address ?? account?.postal_address ?? null;
}

/** In the sandbox, where nothing leaves, a campaign needs no sender. `.invalid` is nobody's for ever (RFC 2606 §2). */
export const SANDBOX_SENDER = "sender@sandbox.invalid";

/**
 * Which of the addresses in mail are answered here: those that tell us of an open or a click, else mail carries its author's
 * own; and the way out, without which nothing leaves.
 */
export type Served = { readonly opens: boolean; readonly clicks: boolean; readonly unsubscribe: boolean };

type Tracked = Pick<Served, "opens" | "clicks">;

/** For what is looked at before it is sent. */
export const UNTRACKED: Tracked = { opens: false, clicks: false };

export function contentOf(campaign: Editable, setting: Setting, served: Tracked): ContentSource {
  return {
    subject: campaign.subject,
    preheader: campaign.preview_text,
    html: campaign.html,
    mjml: campaign.mjml,
    text: campaign.text,
    tracking: {
      opens: served.opens && campaign.track_opens,
      clicks: served.clicks && campaign.track_clicks,
    },
    footer: { postalAddress: postalAddressOf(setting), unsubscribeLabel: null },
  };
}

/** What a template may read of the list and of the campaign. */
export function namesOf(campaign: Editable & { readonly id: string }, { list }: Setting) {
  return {
    list: { id: toPublicId("lst", campaign.list_id), name: list?.name ?? "" },
    campaign: { id: toPublicId("cmp", campaign.id), name: campaign.name },
  };
}
