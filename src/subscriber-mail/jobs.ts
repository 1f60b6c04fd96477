/** Says how the jobs are run that send mail to subscribers. Run twice, each finds that its mail was accepted. */
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import { type ConfirmationPayload, mailConfirmationKind } from "../subscribers/subscribers.ts";
import { type LetterPayload, openLetter, sendLetterKind } from "./add.ts";
import { mailConfirmation } from "./confirmation.ts";
import { type SubscriberMailTools, sendLetter } from "./send.ts";
import { claimMail } from "./store.ts";
import { mailWelcome, type WelcomePayload, welcomeKind } from "./welcome.ts";

export function subscriberMailJobs(tools: SubscriberMailTools): readonly AnyJob[] {
  const inAccount = ({ db, clock, log }: JobCtx, accountId: string, work: (ctx: TxCtx) => Promise<void>) =>
    db.transaction((tx) => work(systemCtx({ clock, log }, tx, accountId)));

  const confirmation = (job: JobCtx, payload: ConfirmationPayload) =>
    inAccount(job, payload.account_id, (ctx) => mailConfirmation(ctx, tools, payload));

  const welcome = (job: JobCtx, payload: WelcomePayload) =>
    inAccount(job, payload.account_id, (ctx) => mailWelcome(ctx, tools, payload));

  const letter = (job: JobCtx, payload: LetterPayload) =>
    inAccount(job, payload.account_id, async (ctx) => {
      const mail = openLetter(tools.accept.secrets, payload);
      if (!mail) throw new Error("no SECRET_KEY opens a mail to a subscriber");
      const { sql, accountId, clock } = ctx;
      if (await claimMail(sql, accountId, payload.occasion_id, mail.kind, clock.now()))
        await sendLetter(ctx, tools, mail);
    });

  return [
    { ...mailConfirmationKind, run: confirmation },
    { ...welcomeKind, run: welcome },
    { ...sendLetterKind, run: letter },
  ];
}
