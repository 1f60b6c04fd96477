/** Finds or makes the person whom the provider speaks of, and what they belong to. All of it is one transaction, which stays though nobody is let in. */
import { createAuditRecorder } from "../../audit/audit.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { AuditOrigin } from "../../platform/http/audit.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { takesNobody } from "../holds/holds.ts";
import {
  deleteLonePerson,
  findPersonByEmail,
  forgetSignIn,
  lockPerson,
  type PersonRow,
} from "../people/people.ts";
import { asUser, recordPasswordChange } from "../sessions/sessions.ts";
import {
  claimLink,
  deleteOtherLinksOf,
  deletePasswordLinksOf,
  findUser,
  holdLink,
  joinAccount,
  listMemberships,
  type Membership,
  personFor,
} from "../users/users.ts";
import type { Claims } from "./claims.ts";
import { followGroups } from "./follow-groups.ts";
import { type GroupRule, rolesByGroups } from "./group-rules.ts";
import { holdIdentity, insertIdentity, mayBeLinkedByAddress } from "./identity-store.ts";
import type { BegunSignIn } from "./pending-store.ts";

export type Admitted = {
  readonly kind: "admitted";
  readonly personId: string;
  readonly identityId: string;
  /** Where an invitation was accepted: the user that it was for. */
  readonly joined?: { readonly account_id: string; readonly id: string };
};
/** `why` is for the operator's log; whoever signs in is told no more than that they have no account here. */
export type NotAdmitted = {
  readonly kind: "refused" | "wrong_person" | "link_unknown";
  readonly why: string;
};

export type Admission = {
  readonly issuer: string;
  readonly claims: Claims;
  readonly rules: readonly GroupRule[];
  readonly begun: BegunSignIn;
  readonly origin: AuditOrigin;
};

export async function admitPerson(ctx: TxCtx, admission: Admission): Promise<Admitted | NotAdmitted> {
  const { issuer, claims, rules } = admission;
  const known = await holdIdentity(ctx.sql, { issuer, subject: claims.subject });
  const found = known
    ? ({ kind: "admitted", personId: known.person_id, identityId: known.id } as const)
    : await linkByAddress(ctx, admission);
  if (found.kind !== "admitted") return found;
  const { personId } = found;
  await lockPerson(ctx.sql, personId);
  const joined = await acceptInvitation(ctx, personId, admission);
  if (joined && "kind" in joined) return joined;
  if (rules.length > 0) await followGroups(ctx, { personId, name: claims.name }, rolesOf(admission));
  if ((await listMemberships(ctx.sql, personId)).length === 0) {
    await deleteLonePerson(ctx.sql, personId);
    return refused("they belong to no account");
  }
  return { ...found, ...(joined && { joined }) };
}

/**
 * Joins an identity that is new here to the person with its address, or makes that person. The address counts only where the provider
 * says that it is verified, since anybody may claim one; and nothing is joined for whoever would not be let in then.
 */
async function linkByAddress(ctx: TxCtx, admission: Admission): Promise<Admitted | NotAdmitted> {
  const { issuer, claims, begun } = admission;
  const { email, isVerified, subject } = claims;
  if (!email || !isVerified) return refused("they are not linked, and their address is not verified");
  const isWanted = rolesOf(admission).size > 0;
  const known = await findPersonByEmail(ctx.sql, email);
  const memberships = known ? await listMemberships(ctx.sql, known.id) : [];
  if (!isWanted && memberships.length === 0 && !(known && begun.link_id))
    return refused("they are not linked, belong to no account, and no group of theirs is one's");
  const person = await personFor(ctx, email);
  const { id: personId } = person;
  // The person is locked now: whoever comes in two tabs at once was linked by the other meanwhile.
  const meanwhile = await holdIdentity(ctx.sql, { issuer, subject });
  if (meanwhile) return { kind: "admitted", personId: meanwhile.person_id, identityId: meanwhile.id };
  if (!(await mayBeLinkedByAddress(ctx.sql, personId, issuer)))
    return refused("the person with their address may not be linked by it");
  const now = ctx.clock.now();
  const identity = { id: newId(ctx.clock), person_id: personId, issuer, subject, email, created_at: now };
  if (!(await insertIdentity(ctx.sql, { ...identity, last_used_at: now })))
    return refused("they were linked with somebody else at the same time");
  recordFor(ctx, admission, memberships, "user.sso_linked");
  await endWaysOfBefore(ctx, person, memberships);
  return { kind: "admitted", personId, identityId: identity.id };
}

/**
 * Ends all by which one could sign in as the person until now. The address says who they are and not who chose the password: people of
 * their account may have, by a link, and would be them wherever groups make them a member from now on.
 */
async function endWaysOfBefore(
  ctx: TxCtx,
  person: PersonRow,
  memberships: readonly Membership[],
): Promise<void> {
  await forgetSignIn(ctx.sql, person.id);
  await deletePasswordLinksOf(ctx.sql, person.id, null);
  if (person.password_hash !== null) await recordPasswordChange(ctx, person, memberships);
}

function rolesOf({ rules, claims }: Admission) {
  return rolesByGroups(rules, claims.groups);
}

/** Returns whom the invitation made a member; undefined where none is accepted. */
async function acceptInvitation(
  ctx: TxCtx,
  personId: string,
  admission: Admission,
): Promise<Pick<Membership, "account_id" | "id"> | NotAdmitted | undefined> {
  const { link_account_id: accountId, link_id: id } = admission.begun;
  if (!accountId || !id) return undefined;
  const link = await holdLink(ctx.sql, accountId, id);
  const user = link?.user_id ? await findUser(ctx.sql, accountId, link.user_id) : undefined;
  const isOpen = link && !link.used_at && link.expires_at > ctx.clock.now() && user?.joined_at === null;
  if (!isOpen) return { kind: "link_unknown", why: "the invitation was used, or has ended" };
  if (await takesNobody(ctx.sql, accountId))
    return { kind: "link_unknown", why: "nobody joins the account now" };
  if (user.person_id !== personId)
    return { kind: "wrong_person", why: "the invitation is for somebody else" };
  if (!(await claimLink(ctx.sql, link, ctx.clock.now())))
    return { kind: "link_unknown", why: "the invitation was used at the same time" };
  await deleteOtherLinksOf(ctx.sql, link);
  const joined = await joinAccount(asUser(ctx, user), user);
  recordFor(ctx, admission, [joined], "user.link_redeemed");
  return { account_id: accountId, id: joined.id };
}

function recordFor(
  ctx: TxCtx,
  { origin }: Admission,
  users: readonly Pick<Membership, "account_id" | "id">[],
  action: string,
): void {
  const records = users.map(({ account_id: accountId, id }) => {
    const userId = toPublicId("usr", id);
    const actor = { kind: "user", id: userId } as const;
    return { accountId, actor, action, targetId: userId, fields: [], origin };
  });
  createAuditRecorder(ctx.clock)(ctx.sql, records);
}

function refused(why: string): NotAdmitted {
  return { kind: "refused", why };
}
