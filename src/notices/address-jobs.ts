/**
 * Runs the jobs that write to the new and to the old address of somebody who changes theirs. These mails leave by the instance's own server
 * alone: whoever reads the link proves the address, and people of an account read what its own server takes.
 */
import {
  type AccountRow,
  emailChangeUrl,
  findUser,
  getAccount,
  listMembershipsOrInvitations,
  type MailNewAddressPayload,
  mailNewAddressKind,
  oldAddressOf,
  prepareNewAddressMail,
  type TellOldAddressPayload,
  tellOldAddressKind,
  type UserRow,
} from "../accounts/accounts.ts";
import { INSTANCE_TRANSPORT } from "../delivery/delivery.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import { changeAsked, changeDone, knownAddress, newAddress } from "./address-letters.ts";
import type { Letter } from "./layout.ts";
import { type OwnMailTools, sendOwnMail } from "./send.ts";
import type { OwnMailKind } from "./store.ts";

type Way = Pick<OwnMailTools, "accept" | "systemFrom">;

/**
 * Says whether the instance can mail such a link. It needs a sender of its own: what bounces, or is answered by itself, comes back to the
 * sender with the link, and an account's sender is whatever its people say.
 */
export function canMailProof({ accept, systemFrom }: Way): boolean {
  return accept.hasInstanceServer && systemFrom !== undefined;
}

export function addressJobs(tools: OwnMailTools): readonly AnyJob[] {
  const newOne = (job: JobCtx, payload: MailNewAddressPayload) =>
    inFirstAccount(job, payload.person_id, async (ctx, mailer) => {
      const mail = await prepareNewAddressMail(ctx, payload);
      if (!mail) return;
      const { email } = mail.change;
      const baseUrl = tools.baseUrl();
      const letter = mail.token
        ? newAddress({ email, url: emailChangeUrl(baseUrl, mail.token) })
        : knownAddress({ email, baseUrl });
      await mailTo(ctx, tools, mailer, { occasionId: mail.change.id, kind: "email_change", email, letter });
    });

  const oldOne = (job: JobCtx, payload: TellOldAddressPayload) =>
    inFirstAccount(job, payload.person_id, async (ctx, mailer) => {
      const email = oldAddressOf(tools.accept.secrets, payload);
      if (email === undefined) return;
      const write = payload.what === "asked" ? changeAsked : changeDone;
      const letter = write({ email, baseUrl: tools.baseUrl() });
      const { occasion_id: occasionId } = payload;
      await mailTo(ctx, tools, mailer, { occasionId, kind: "security_notice", email, letter });
    });

  return [
    { ...mailNewAddressKind, run: newOne },
    { ...tellOldAddressKind, run: oldOne },
  ];
}

type Mailer = { readonly account: AccountRow; readonly user: UserRow };

/** Works in the account that the person joined first; whoever belongs to none any more is told nothing. */
async function inFirstAccount(
  { db, clock, log }: JobCtx,
  personId: string,
  work: (ctx: TxCtx, mailer: Mailer) => Promise<void>,
): Promise<void> {
  const [first] = await listMembershipsOrInvitations(db, personId);
  if (!first) return;
  await db.transaction(async (tx) => {
    const account = await getAccount(tx, first.account_id);
    const user = await findUser(tx, first.account_id, first.id);
    if (account && user) await work(systemCtx({ clock, log }, tx, first.account_id), { account, user });
  });
}

/** Mails a letter to this address, whatever the user's own is by now. */
async function mailTo(
  ctx: TxCtx,
  tools: OwnMailTools,
  { account, user }: Mailer,
  mail: {
    readonly occasionId: string;
    readonly kind: OwnMailKind;
    readonly email: string;
    readonly letter: Letter;
  },
): Promise<void> {
  if (!canMailProof(tools)) {
    const why = "the service has no SMTP_URL and SYSTEM_FROM any more";
    ctx.log.warn({}, `a mail about a change of address was not sent: ${why}`);
    return;
  }
  const wave = await tools.accept.findWave(ctx, INSTANCE_TRANSPORT, "product");
  const { occasionId, kind, email, letter } = mail;
  await sendOwnMail(ctx, tools, { occasionId, kind, account, to: [{ ...user, email }], letter, wave });
}
