/** Adds mails to subscribers to the queue, in the transaction of their cause. */
import type { TxCtx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import { addJob, defineJob } from "../platform/jobs/jobs.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { SubscriberMail } from "./send.ts";

export type LetterPayload = { account_id: string; occasion_id: string; sealed: string };

/** Sends a letter that is written already. `jobs.ts` says how it is run. */
export const sendLetterKind = defineJob<LetterPayload>({
  name: "send_letter",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

/** The mail is sealed while it waits, because it has an address and a link in it that are nobody else's. */
export async function addSubscriberMail(ctx: TxCtx, secrets: Secrets, mail: SubscriberMail): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const occasionId = newId(clock);
  const sealed = secrets.seal("subscriber-mail", JSON.stringify(mail), contextOf(accountId, occasionId));
  const payload = { account_id: accountId, occasion_id: occasionId, sealed: sealed.toString("base64") };
  await addJob(sql, sendLetterKind, payload);
}

/** Returns undefined where no SECRET_KEY opens it. */
export function openLetter(secrets: Secrets, payload: LetterPayload): SubscriberMail | undefined {
  const sealed = Buffer.from(payload.sealed, "base64");
  const opened = secrets.open("subscriber-mail", sealed, contextOf(payload.account_id, payload.occasion_id));
  return opened === undefined ? undefined : (JSON.parse(opened) as SubscriberMail);
}

function contextOf(accountId: string, occasionId: string): string {
  return `${accountId} ${occasionId}`;
}
