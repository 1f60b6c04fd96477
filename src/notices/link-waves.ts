/**
 * Says by which server a link that sets a password is mailed. People of an account may read what its own server takes, so some links
 * leave by the instance's server alone, also where the account has one of its own (docs/decisions/0030).
 */
import {
  isSharedWithOthers,
  isToJoin,
  mayMailLink,
  type SeenBy,
  type UserRow,
} from "../accounts/accounts.ts";
import {
  findTransportChanger,
  INSTANCE_TRANSPORT,
  SANDBOX_TRANSPORT,
  type Wave,
} from "../delivery/delivery.ts";
import type { AcceptTools } from "../emails/emails.ts";
import type { Ctx } from "../platform/context.ts";

/** Returns undefined where no server may mail it; the log then says what to do. */
export async function findLinkWave(
  ctx: Ctx,
  { accept }: { readonly accept: AcceptTools },
  user: UserRow,
): Promise<Wave | undefined> {
  if (user.is_operator && !isToJoin(user)) {
    ctx.log.warn({}, "a link that sets an operator's password was not mailed; use `users reset`");
    return undefined;
  }
  // Whoever is invited proves the address by the link, so people of the account don't get to see it where that can be helped.
  const isProof = user.joined_at === null && accept.hasInstanceServer;
  // Whoever is invited is a stranger: a hold keeps back what the account has mailed to them.
  const of = user.joined_at === null ? "invitations" : "product";
  const usual = await accept.findWave(ctx, isProof ? INSTANCE_TRANSPORT : null, of);
  if (usual.isInstance) return usual;
  const why = await whyNot(ctx, user, usual);
  if (why === undefined) return usual;
  if (accept.hasInstanceServer) return accept.findWave(ctx, INSTANCE_TRANSPORT, of);
  ctx.log.warn(
    {},
    `a link that sets a password was not mailed: ${why}; set SMTP_URL, or use \`users reset\``,
  );
  return undefined;
}

async function whyNot({ sql }: Ctx, user: UserRow, { transportId }: Wave): Promise<string | undefined> {
  if (await isSharedWithOthers(sql, user))
    return "the person comes by single sign-on, belongs to several accounts, or was invited by several";
  // The sandbox shows such a mail to those alone who hold `full`.
  if (transportId === SANDBOX_TRANSPORT) return undefined;
  if (await mayMailLink(sql, user, transportId, findTransportChanger)) return undefined;
  return "the user is an owner, and the account's transport was last changed by somebody who is none";
}

/** Says who may have seen a link that leaves by this wave. */
export function seenBy({ isInstance, transportId }: Wave): SeenBy {
  const isOwn = !isInstance && transportId !== SANDBOX_TRANSPORT;
  return { of_instance: isInstance, transport_id: isOwn ? transportId : null };
}
