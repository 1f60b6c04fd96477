/**
 * Judges accounts on instances with several: too many bounces or complaints within a week warn an account, and more of them stop its
 * sending until an operator lets it go on (docs/decisions/0070).
 */
import {
  findHolds,
  holdAccount,
  JUDGED_DAYS,
  judgeStanding,
  LEAST_MAILS,
  lockAccount,
  releaseAccount,
  type StandingCounts,
  type Verdict,
  warnOfDay,
} from "../../accounts/accounts.ts";
import { closeAlert, listAccountsWith, openAlert } from "../../alerts/alerts.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import { countAccountAnew, countSince, hasSeveralAccounts, isCountedAnew } from "./judge-store.ts";

const DAY_MS = 24 * 3_600_000;
const NOTHING: StandingCounts = { sent: 0, failed: 0, hard: 0, complaints: 0 };
/** An account has one standing, so its alert needs no name of its own. */
const SUBJECT = "account";

/** Is run every few minutes. Each account is judged in a transaction of its own, and judging it twice changes nothing. */
export async function judgeAccounts({ db, clock, log }: Pick<JobCtx, "db" | "clock" | "log">): Promise<void> {
  if (!(await hasSeveralAccounts(db))) return;
  const countedAt = clock.now();
  const since = new Date(countedAt.getTime() - JUDGED_DAYS * DAY_MS);
  const counted = new Map(
    (await countSince(db, since, LEAST_MAILS)).map(({ accountId, ...counts }) => [accountId, counts]),
  );
  // Those who were warned and have sent little since are judged as well, so that the alert ends.
  const accounts = new Set([...counted.keys(), ...(await listAccountsWith(db, ["standing"]))]);
  for (const accountId of accounts) {
    const verdict = judgeStanding(counted.get(accountId) ?? NOTHING);
    await db.transaction((tx) => act(systemCtx({ clock, log }, tx, accountId), verdict, countedAt));
  }
}

async function act(ctx: TxCtx, verdict: Verdict, countedAt: Date): Promise<void> {
  const { sql, accountId, clock, log } = ctx;
  await lockAccount(sql, accountId);
  // An operator has let it go on since it was counted: what it did before is no reason any more.
  if (await isCountedAnew(sql, accountId, countedAt)) return;
  const isHeld = (await findHolds(sql, accountId)).some(({ kind }) => kind === "standing");
  // What stopped it may lie a week back by now, but nobody has looked at it yet: its alert stays as it is.
  if (isHeld && verdict.standing !== "stopped") return;
  if (verdict.standing === "fine") return closeAlert(ctx, "standing", SUBJECT);
  const { standing, reason, detail } = verdict;
  await warnOfDay(sql, accountId, clock.now());
  const isStop = standing === "stopped";
  if (isStop && (await holdAccount(ctx, "standing", detail)))
    sql.afterCommit(() => log.warn({ account: accountId, reason, detail }, "an account was stopped"));
  await openAlert(ctx, {
    kind: "standing",
    subject: SUBJECT,
    severity: isStop ? "critical" : "warning",
    stateKey: `${standing} ${reason}`,
    title: isStop
      ? "This account may not send any more"
      : reason === "hard_bounces"
        ? "Too many of your mails bounce"
        : "Too many people complain about your mail",
    detail: `${detail}.`,
    remedy: isStop
      ? "Clean the lists that bounced or complained, and write to the operators of this service: they let it go on. What was under way waits."
      : "Look at where these addresses came from, and remove those who didn't ask for your mail. At twice as many, sending stops.",
    data: { standing, reason },
  });
}

/** Lets an account send again that was stopped for its standing. What it sent before doesn't count any more. Returns false where it wasn't. */
export async function releaseStanding(ctx: TxCtx): Promise<boolean> {
  await lockAccount(ctx.sql, ctx.accountId);
  if (!(await releaseAccount(ctx, "standing"))) return false;
  await countAccountAnew(ctx.sql, ctx.accountId, ctx.clock.now());
  await closeAlert(ctx, "standing", SUBJECT);
  return true;
}
