/** Says how the jobs are run that send the product's own mail. Run twice, each finds that its mail was accepted. */
import {
  addressOfReset,
  findPersonByEmail,
  getAccount,
  type InvitePayload,
  inviteUserKind,
  linkUrl,
  listMembershipsOrInvitations,
  lockPerson,
  lockUser,
  lockUsers,
  makeMailedLink,
  type ResetPayload,
  resetPasswordKind,
  type UserRow,
} from "../accounts/accounts.ts";
import { findEvent, type NoticePayload, noticeKind } from "../events/events.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import { addressJobs } from "./address-jobs.ts";
import { noticeOf, summary } from "./event-letters.ts";
import { holdBack, type SummaryPayload, sumUpKind } from "./held.ts";
import { mayInvite } from "./invitation-limit.ts";
import { invitation, passwordReset } from "./link-letters.ts";
import { findLinkWave, seenBy } from "./link-waves.ts";
import { type OwnMailTools, sendOwnMail } from "./send.ts";
import { signUpJob } from "./sign-up-job.ts";
import { countMails, takeHeld } from "./store.ts";

const HOUR_MS = 3_600_000;
/** At most so many links an hour are mailed to a user who has forgotten the password. */
const MOST_RESETS_AN_HOUR = 3;
/** No job is older when it is given up. */
const OLDEST_EVENT_MS = 7 * 24 * HOUR_MS;

type NoticeTools = OwnMailTools & {
  /** False where people come by single sign-on alone (PASSWORD_SIGN_IN). */
  readonly takesPasswords: boolean;
};

export function noticeJobs(given: NoticeTools): readonly AnyJob[] {
  const tools = { ...given, baseUrl: () => knownUrl(given.baseUrl()) };
  const inAccount = ({ db, clock, log }: JobCtx, accountId: string, work: (ctx: TxCtx) => Promise<void>) =>
    db.transaction((tx) => work(systemCtx({ clock, log }, tx, accountId)));

  const invite = (job: JobCtx, { account_id, user_id, occasion_id }: InvitePayload) =>
    inAccount(job, account_id, (ctx) => mailInvitation(ctx, tools, user_id, occasion_id));

  async function reset(job: JobCtx, payload: ResetPayload): Promise<void> {
    const email = addressOfReset(tools.accept.secrets, payload);
    const person = email === undefined ? undefined : await findPersonByEmail(job.db, email);
    const [user] = person ? await listMembershipsOrInvitations(job.db, person.id) : [];
    if (!person || !user) return;
    await inAccount(job, user.account_id, async (ctx) => {
      // Whoever changes their address locks the person, too, and ends the links that were made for the one before.
      const now = await lockPerson(ctx.sql, person.id);
      if (now?.email_key === person.email_key) await mailReset(ctx, tools, user.id, payload.occasion_id);
    });
  }

  const notice = (job: JobCtx, { account_id, event_id }: NoticePayload) =>
    inAccount(job, account_id, (ctx) => tellOf(ctx, tools, event_id));

  const sumUp = (job: JobCtx, { account_id, occasion_id }: SummaryPayload) =>
    inAccount(job, account_id, (ctx) => mailSummaries(ctx, tools, occasion_id));

  return [
    { ...inviteUserKind, run: invite },
    { ...resetPasswordKind, run: reset },
    { ...noticeKind, run: notice },
    { ...sumUpKind, run: sumUp },
    ...addressJobs(tools),
    signUpJob(tools),
  ];
}

/** A process without BASE_URL knows its address once it listens, and jobs may run before that. The queue then runs them again. */
function knownUrl(baseUrl: string): string {
  if (baseUrl === "") throw new Error("the address of this process isn't known yet");
  return baseUrl;
}

async function mailInvitation(
  ctx: TxCtx,
  tools: NoticeTools,
  userId: string,
  occasionId: string,
): Promise<void> {
  const [account, user] = [
    await getAccount(ctx.sql, ctx.accountId),
    await lockUser(ctx.sql, ctx.accountId, userId),
  ];
  if (!account || !user || user.joined_at !== null || isExpired(ctx, user)) return;
  if (!(await mayInvite(ctx, userId))) return;
  const wave = await findLinkWave(ctx, tools, user);
  if (!wave) return;
  const { token } = await makeMailedLink(ctx, user, seenBy(wave));
  const { takesPasswords } = tools;
  const url = linkUrl(tools.baseUrl(), token);
  const letter = invitation({ accountName: account.name, user, url, takesPasswords });
  await sendOwnMail(ctx, tools, { occasionId, kind: "invitation", account, to: [user], letter, wave });
}

/** An invitation that nobody accepted in time ends, until somebody of the account sends it again. */
function isExpired({ clock }: TxCtx, { invitation_expires_at: expiresAt }: UserRow): boolean {
  return expiresAt !== null && expiresAt <= clock.now();
}

/** The user is locked while the mails are counted, so that requests at the same time can't get more than their number. */
async function mailReset(ctx: TxCtx, tools: NoticeTools, userId: string, occasionId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const user = await lockUser(sql, accountId, userId);
  const account = await getAccount(sql, accountId);
  if (!account || !user || isExpired(ctx, user)) return;
  const since = new Date(clock.now().getTime() - HOUR_MS);
  if ((await countMails(sql, accountId, userId, "password_reset", since)) >= MOST_RESETS_AN_HOUR) return;
  const wave = await findLinkWave(ctx, tools, user);
  if (!wave) return;
  const { token } = await makeMailedLink(ctx, user, seenBy(wave));
  const write = user.joined_at === null ? invitation : passwordReset;
  const { takesPasswords } = tools;
  const url = linkUrl(tools.baseUrl(), token);
  const letter = write({ accountName: account.name, user, url, takesPasswords });
  await sendOwnMail(ctx, tools, { occasionId, kind: "password_reset", account, to: [user], letter, wave });
}

async function tellOf(ctx: TxCtx, tools: OwnMailTools, eventId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const since = new Date(clock.now().getTime() - OLDEST_EVENT_MS);
  const event = await findEvent(sql, accountId, eventId, since);
  const account = await getAccount(sql, accountId);
  const notice = event && account && (await noticeOf(ctx, { account, event, baseUrl: tools.baseUrl() }));
  if (!notice || notice.to.length === 0) return;
  const to = await holdBack(ctx, eventId, notice);
  if (to.length > 0) await sendOwnMail(ctx, tools, { occasionId: eventId, account, ...notice, to });
}

/** What was held back is counted in the transaction that accepts the mails, so that a job which runs twice finds nothing. */
async function mailSummaries(ctx: TxCtx, tools: OwnMailTools, occasionId: string): Promise<void> {
  const account = await getAccount(ctx.sql, ctx.accountId);
  const held = await takeHeld(ctx.sql, ctx.accountId);
  if (!account || held.length === 0) return;
  const users = await lockUsers(
    ctx.sql,
    ctx.accountId,
    held.map(({ user_id }) => user_id),
  );
  // Most owners missed the same, and are told together.
  const alike = Map.groupBy(held, ({ notices, security }) => `${notices} ${security}`);
  for (const some of alike.values()) {
    const [{ notices, security }] = some as [(typeof some)[number]];
    const to = users.filter(({ id }) => some.some(({ user_id }) => user_id === id));
    const letter = summary(account, { notices, security }, tools.baseUrl());
    const kind = security > 0 ? "security_notice" : "notice";
    await sendOwnMail(ctx, tools, { occasionId, kind, account, to, letter });
  }
}
