/**
 * These are the kinds of jobs that accounts add: those by which they ask for mail, which a floor above writes and sends (src/notices/jobs.ts), and
 * those that record later whom a refusal was about (sessions/refused-sign-ins.ts, security/refused-factors.ts).
 */
import type { AuditOrigin } from "../platform/http/audit.ts";
import { defineJob } from "../platform/jobs/jobs.ts";

export type InvitePayload = { account_id: string; user_id: string; occasion_id: string };
/** The address is sealed: it may be nobody's, and the queue is no place to keep what a stranger typed. */
export type ResetPayload = { address: string; occasion_id: string };

/** The address is sealed, as above. */
export type RefusedSignInPayload = {
  address: string;
  occasion_id: string;
  at: string;
  origin: AuditOrigin;
};

export type RefusedFactorPayload = {
  person_id: string;
  occasion_id: string;
  at: string;
  origin: AuditOrigin;
  /** Whether somebody who is signed in gave it, to confirm that it is them. */
  is_confirmation: boolean;
  /** Whether a sign-in ended by it. */
  is_last: boolean;
};

/** Mails a user the link that sets the first password. Somebody may be waiting for it. */
export const inviteUserKind = defineJob<InvitePayload>({ name: "invite_user", priority: -10, run: notHere });
/** Mails a link that sets a new password, if the address is a user's. */
export const resetPasswordKind = defineJob<ResetPayload>({
  name: "reset_password",
  priority: -10,
  run: notHere,
});

/** What the stranger typed is sealed, as above. */
export type MailSignUpPayload = { sealed: string; occasion_id: string };
/** Mails a link that opens an account, or tells the address that it is somebody's already. */
export const mailSignUpKind = defineJob<MailSignUpPayload>({
  name: "mail_sign_up",
  priority: -10,
  run: notHere,
});

export type MailNewAddressPayload = { person_id: string; change_id: string };
/** The address is sealed, as above. */
export type TellOldAddressPayload = {
  person_id: string;
  address: string;
  occasion_id: string;
  what: "asked" | "done";
};

/** Mails a link that proves a new address, or tells that address that it is somebody's already. */
export const mailNewAddressKind = defineJob<MailNewAddressPayload>({
  name: "mail_new_address",
  priority: -10,
  run: notHere,
});
/** Tells the old address that a change was asked for, or is done. */
export const tellOldAddressKind = defineJob<TellOldAddressPayload>({
  name: "tell_old_address",
  priority: -10,
  run: notHere,
});

/** Adds a wrong second factor to the audit log, and tells the person where it was the last that a sign-in takes. */
export const refusedFactorKind = defineJob<RefusedFactorPayload>({
  name: "record_refused_factor",
  priority: 10,
  run: notHere,
});

/** Adds a refused sign-in to the audit log, if the address is a user's. Nobody waits for it. */
export const refusedSignInKind = defineJob<RefusedSignInPayload>({
  name: "record_refused_sign_in",
  priority: 10,
  run: notHere,
});

export type EndVisitPayload = { account_id: string; user_id: string };
/** Removes the membership of an operator whose look into an account is over. */
export const endVisitKind = defineJob<EndVisitPayload>({ name: "end_visit", run: notHere });

export type AccountReleasedPayload = { account_id: string };
/** Goes on with what waited while the account was held (src/delivery/jobs.ts). */
export const accountReleasedKind = defineJob<AccountReleasedPayload>({
  name: "account_released",
  priority: -10,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
