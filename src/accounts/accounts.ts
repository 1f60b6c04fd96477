/**
 * An account owns everything else. It has API keys, which programs use, and users: people, who may belong to several. This file is
 * what other folders may use.
 */

import { changedFields, recordEvent } from "../events/events.ts";
import type { Clock } from "../platform/clock.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Queryable, Tx } from "../platform/db/db.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { canonicalLocale } from "../platform/locale.ts";
import { invalid } from "../platform/problems.ts";
import {
  type AccountRow,
  EDITABLE,
  findAccount,
  findFirstAccount,
  forgetFirstAccount,
  hasAccounts,
  isLogo,
  lockAccount,
  lockFirstAccount,
  updateAccountRow,
} from "./account-store.ts";
import { createAccount } from "./create-account.ts";
import {
  type BounceLimits,
  type BounceLimitsPatch,
  bounceLimitsOf,
  changeBounceLimits,
  changeGuardrails,
  type Guardrails,
  type GuardrailsPatch,
  guardrailsOf,
  readSenderAddresses,
} from "./settings/settings.ts";

export { stillMay } from "./access.ts";
export {
  type AccountRow,
  findLiveAccount,
  hasAccounts,
  lockAccount,
  readAccountZone,
} from "./account-store.ts";
export { readActorNames, readActorNamesOrAddresses } from "./actor-names.ts";
export {
  createApiKey,
  createKeyCheck,
  findKey,
  type KeyCheck,
  watchKeyChanges,
} from "./api-keys/api-keys.ts";
export { createAccount } from "./create-account.ts";
export {
  emailChangeUrl,
  oldAddressOf,
  prepareNewAddressMail,
} from "./email-changes/email-changes.ts";
export { shutOut } from "./everybody.ts";
export { resealFactors } from "./factors/factors.ts";
export {
  findBeingDeleted,
  findHolds,
  findHoldsOf,
  HOLD_KINDS,
  type HoldKind,
  hasDeletionBegun,
  holdAccount,
  isBeingDeleted,
  isHeld,
  isReadOnly,
  isStreamHeld,
  refuseWhileHeld,
  releaseAccount,
} from "./holds/holds.ts";
export { dmarcAddressOf, readAccountAddress, testAddressOf } from "./inbound-addresses.ts";
export { inviteUser } from "./invitations/invitations.ts";
export {
  type AccountReleasedPayload,
  accountReleasedKind,
  type InvitePayload,
  inviteUserKind,
  type MailNewAddressPayload,
  type MailSignUpPayload,
  mailNewAddressKind,
  mailSignUpKind,
  type ResetPayload,
  resetPasswordKind,
  type TellOldAddressPayload,
  tellOldAddressKind,
} from "./job-kinds.ts";
export {
  addOperator,
  createInstanceKey,
  createOperatorCheck,
  isOperator,
  linkOperator,
  listInstanceKeys,
  listOperators,
  removeOperator,
  revokeInstanceKey,
  unlinkOperator,
} from "./operators/operators.ts";
export { findPersonByEmail, lockPerson } from "./people/people.ts";
export {
  dailyLimitReached,
  featureNotIncluded,
  noSession,
  sendingStopped,
  sessionProblems,
  userExists,
} from "./problems.ts";
export { ROLES, type Role } from "./roles.ts";
export { SCOPES, scopesOfKey } from "./scopes.ts";
export { refusedFactorJob, resetFactors } from "./security/security.ts";
export {
  ACCOUNT_HEADER,
  ACCOUNT_PARAMETER,
  addressOfReset,
  createSessionCheck,
  isSharedWithOthers,
  linkUrl,
  makeFirstOwnerLink,
  makeMailedLink,
  makeOperatorLink,
  mayMailLink,
  refusedSignInJob,
  type SeenBy,
} from "./sessions/sessions.ts";
export {
  BOUNCE_LIMITS,
  type BounceLimits,
  type Guardrails,
  guardrailsOf,
  readSenderAddresses,
  TRACKING_MODES,
  type TrackingMode,
} from "./settings/settings.ts";
export {
  forgetOldSignUps,
  prepareSignUpMail,
  signUpOf,
  signUpUrl,
} from "./sign-ups/sign-ups.ts";
export { createSso, lookAtProvider, type ProviderLook } from "./sso/sso.ts";
export {
  changeLimits,
  dayOf,
  drawForTests,
  drawMails,
  FEATURES,
  type Feature,
  giveBackMails,
  hasUsedUp,
  JUDGED_DAYS,
  judgeStanding,
  LEAST_MAILS,
  type Limits,
  type LimitsPatch,
  limitsEtag,
  lockProbation,
  lockSubscriberLimit,
  MOST_WITHOUT_REVIEW,
  needsReview,
  nextDayBegins,
  noteReviewed,
  pretendNoSubscriberLimit,
  readDailyLimit,
  requireFeature,
  type StandingCounts,
  type SubscriberLimit,
  type Verdict,
  warnOfDay,
  writePlanLimits,
} from "./standing/standing.ts";
export { accountOfToken, hashToken, makeToken } from "./token-format.ts";
export {
  shapeUpdatedBy,
  signatureOf,
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "./updated-by.ts";
export { UpdatedBy } from "./updated-by-schema.ts";
export {
  findMembers,
  findUser,
  findUserByEmail,
  findUserIds,
  isToJoin,
  listMembershipsOrInvitations,
  listOwners,
  lockUser,
  lockUsers,
  type UserRow,
} from "./users/users.ts";
export { inUse, keepInUse, refuseInUse, type UsedThing } from "./uses/uses.ts";

export { beginVisit, endVisitJob, shapeVisit, type VisitRow } from "./visits/visits.ts";

/**
 * Creates the account of the first start. Returns undefined when there is one already, also if another process made
 * it just now.
 */
export async function createFirstAccount(tx: Tx, clock: Clock): Promise<AccountRow | undefined> {
  await lockFirstAccount(tx);
  if (await hasAccounts(tx)) return undefined;
  // Where all accounts were deleted, the new one is the operator's again: its link is printed where only they read it.
  await forgetFirstAccount(tx);
  return createAccount(tx, clock, { name: "My account" });
}

/** Finds an account by its id, or the account of the first start when no id is given. */
export function getAccount(db: Queryable, accountId: string | undefined): Promise<AccountRow | undefined> {
  return accountId ? findAccount(db, accountId) : findFirstAccount(db);
}

export async function readGuardrails(db: Queryable, accountId: string): Promise<Guardrails> {
  const account = await findAccount(db, accountId);
  return guardrailsOf({ guardrails: account?.guardrails ?? {} });
}

export async function readBounceLimits(db: Queryable, accountId: string): Promise<BounceLimits> {
  const account = await findAccount(db, accountId);
  return bounceLimitsOf({ bounces: account?.bounces ?? {} });
}

export type AccountInput = Partial<
  Omit<Pick<AccountRow, (typeof EDITABLE)[number]>, "guardrails" | "bounces">
> & {
  readonly guardrails?: GuardrailsPatch | null;
  readonly bounces?: BounceLimitsPatch | null;
};

/** Tells whether the account has this file, and keeps the file from being deleted until the transaction ends. */
export type HoldFile = (tx: Tx, accountId: string, fileId: string) => Promise<boolean>;

export async function updateAccount(
  ctx: TxCtx,
  patch: AccountInput,
  ifMatch: string | undefined,
  holdFile: HoldFile,
): Promise<AccountRow> {
  const { guardrails: limits = {}, bounces = {}, ...plain } = patch;
  const now = ctx.clock.now();
  const { addresses, faults } = readSenderAddresses(patch);
  const { logo_file_id: logo } = patch;
  const account = await lockAccount(ctx.sql, ctx.accountId);
  if (typeof logo === "string" && !(await holdFile(ctx.sql, ctx.accountId, logo))) {
    const detail = "there is no such file in this account";
    faults.push({ pointer: "/branding/logo_file_id", code: "not_found", detail });
  }
  const locale = patch.locale && canonicalLocale(patch.locale);
  if (patch.locale && !locale) {
    const detail = "must be a language tag such as en-GB";
    faults.push({ pointer: "/locale", code: "invalid_locale", detail });
  }
  const guarded = changeGuardrails(account.guardrails, limits, now);
  if (faults.length + guarded.faults.length > 0) throw invalid(...faults, ...guarded.faults);
  requireMatch(ifMatch, accountEtag(account));
  const { guardrails } = guarded;
  const wanted = {
    ...account,
    ...plain,
    ...(locale && { locale }),
    ...addresses,
    guardrails,
    bounces: changeBounceLimits(account.bounces, bounces),
    updated_at: now,
  };
  const fields = [...new Set(changedFields(account, wanted, EDITABLE).map(toPublicField))];
  if (fields.length === 0) return account;
  const changed = await updateAccountRow(ctx.sql, wanted, ctx.actor);
  await recordEvent(ctx, { type: "account.updated", data: { changed: fields } });
  return changed;
}

/** The columns of one member of the account are one change to who reads the event. */
function toPublicField(column: string): string {
  if (column.startsWith("checklist_")) return "checklist";
  return column === "brand_colour" || column === "logo_file_id" ? "branding" : column;
}

/** What `file_in_use` says of a file that is the account's logo; null where it isn't. */
export async function logoShowing(db: Queryable, accountId: string, fileId: string): Promise<string | null> {
  return (await isLogo(db, accountId, fileId)) ? "the account's logo" : null;
}

export function accountEtag(account: AccountRow): string {
  return etagOf(Object.fromEntries(EDITABLE.map((name) => [name, account[name]])));
}
