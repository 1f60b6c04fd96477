/** Makes somebody's memberships what the provider's groups say, at every sign-in: joined, raised, lowered and ended. */
import { recordAct } from "../../audit/audit.ts";
import { recordEvent } from "../../events/events.ts";
import { SYSTEM, type TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { findLiveAccount, lockAccount } from "../account-store.ts";
import { takesNobody } from "../holds/holds.ts";
import { lastOwner } from "../problems.ts";
import { type Role, scopesOfRole } from "../roles.ts";
import { addUser, deleteUser, findUser, joinAccount, updateUser } from "../users/users.ts";
import { listSsoMemberships, markBySso, type SsoMembership } from "./identity-store.ts";

type Joining = { readonly personId: string; readonly name: string };

/** The person is locked. Accounts are taken in the order of their ids, so that two who sign in never wait for each other. */
export async function followGroups(
  ctx: TxCtx,
  joining: Joining,
  roles: ReadonlyMap<string, Role>,
): Promise<void> {
  const present = await listSsoMemberships(ctx.sql, joining.personId);
  const ids = new Set([...present.map((one) => one.account_id), ...roles.keys()]);
  for (const accountId of [...ids].sort()) {
    const own = { ...ctx, accountId, actor: SYSTEM };
    const user = present.find((one) => one.account_id === accountId);
    const role = roles.get(accountId);
    if (role && user) await takeRole(own, user, role);
    else if (role) await join(own, joining, role);
    else if (user?.by_sso) await leave(own, user);
  }
}

async function join(ctx: TxCtx, { personId, name }: Joining, role: Role): Promise<void> {
  // The setting may name an account that is gone, or whose deletion begins just now, which locks it as well.
  if (!(await findLiveAccount(ctx.sql, ctx.accountId))) return;
  await lockAccount(ctx.sql, ctx.accountId);
  if (await takesNobody(ctx.sql, ctx.accountId)) return;
  const user = await addUser(ctx, personId, { name, role }, { joined_at: ctx.clock.now() });
  await markBySso(ctx.sql, ctx.accountId, user.id);
  await recordEvent(ctx, { type: "user.created", data: { user_id: toPublicId("usr", user.id) } });
  recordAct(ctx, "system", "user.sso_joined", toPublicId("usr", user.id));
}

/** Whoever is invited joins by it: the operator has said that this group belongs to the account. */
async function takeRole(ctx: TxCtx, { id, joined_at: joinedAt }: SsoMembership, role: Role): Promise<void> {
  const before = await findUser(ctx.sql, ctx.accountId, id);
  // An operator who looks in is a viewer for as long as the visit lasts.
  if (!before || before.visit_until) return;
  if (joinedAt === null) {
    if (await takesNobody(ctx.sql, ctx.accountId)) return;
    await joinAccount(ctx, before);
    await markBySso(ctx.sql, ctx.accountId, id);
    recordAct(ctx, "system", "user.sso_joined", toPublicId("usr", id));
  }
  if (before.role === role) return;
  await unlessLastOwner(ctx, id, async () => {
    await updateUser(ctx, scopesOfRole("owner"), id, { role }, undefined);
    recordAct(ctx, "system", "user.updated", toPublicId("usr", id));
  });
}

async function leave(ctx: TxCtx, { id }: SsoMembership): Promise<void> {
  await unlessLastOwner(ctx, id, async () => {
    await deleteUser(ctx, scopesOfRole("owner"), id);
    recordAct(ctx, "system", "user.removed", toPublicId("usr", id));
  });
}

/** An account keeps its last owner, whatever the provider says: otherwise a wrong setting there would leave nobody who could mend it. */
async function unlessLastOwner(ctx: TxCtx, userId: string, change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof AppError) || error.problem !== lastOwner) throw error;
    ctx.log.warn(
      { account_id: toPublicId("acc", ctx.accountId), user_id: toPublicId("usr", userId) },
      "the groups of single sign-on would take the account's last owner away; the role is kept",
    );
  }
}
