/**
 * Runs the job that mails a stranger the link which opens an account, or to an address that is known that it is. It leaves by the instance's own
 * server, in the own wave of the instance's first account: a stranger has none, and that one's owners look after the instance.
 */
import {
  getAccount,
  type MailSignUpPayload,
  mailSignUpKind,
  prepareSignUpMail,
  signUpOf,
  signUpUrl,
} from "../accounts/accounts.ts";
import { INSTANCE_TRANSPORT } from "../delivery/delivery.ts";
import { systemCtx } from "../platform/context.ts";
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import { canMailProof } from "./address-jobs.ts";
import { type OwnMailTools, sendToStranger } from "./send.ts";
import { alreadyHere, openAccount } from "./sign-up-letters.ts";

export function signUpJob(tools: OwnMailTools): AnyJob {
  async function run({ db, clock, log }: JobCtx, payload: MailSignUpPayload): Promise<void> {
    const asked = signUpOf(tools.accept.secrets, payload);
    if (!asked) return;
    if (!canMailProof(tools)) {
      log.warn({}, "a link to sign up was not mailed: the service has no SMTP_URL and SYSTEM_FROM any more");
      return;
    }
    const baseUrl = tools.baseUrl();
    await db.transaction(async (tx) => {
      const account = await getAccount(tx, undefined);
      if (!account) return;
      const ctx = systemCtx({ clock, log }, tx, account.account_id);
      const made = await prepareSignUpMail(ctx, payload.occasion_id, asked);
      if (!made) return;
      const { email } = asked;
      const letter = made.token
        ? openAccount({ email, url: signUpUrl(baseUrl, made.token) })
        : alreadyHere({ email, baseUrl });
      const wave = await tools.accept.findWave(ctx, INSTANCE_TRANSPORT, "product");
      await sendToStranger(ctx, tools, { account, email, kind: "sign_up", letter, wave });
    });
  }
  return { ...mailSignUpKind, run };
}
