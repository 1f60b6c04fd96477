/** Hands the product's own mail to transactional mail, by the same acceptance as the mail of programs. */
import { type AccountRow, getAccount, type UserRow } from "../accounts/accounts.ts";
import { SANDBOX_TRANSPORT, type Wave } from "../delivery/delivery.ts";
import { type AcceptTools, acceptEmails, type PreparedEmail, prepareEmail } from "../emails/emails.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { AppError } from "../platform/problems.ts";
import { mayInvite } from "./invitation-limit.ts";
import { type Letter, writeHtml, writeText } from "./layout.ts";
import { findLinkWave } from "./link-waves.ts";
import { type OwnSender, senderFor } from "./sender.ts";
import { claimMails, type OwnMailKind } from "./store.ts";

export type OwnMailTools = {
  readonly accept: AcceptTools;
  /** SYSTEM_FROM; undefined where the instance has no sender of its own. */
  readonly systemFrom: OwnSender | undefined;
  /** The address of the dashboard, from the settings: never from what a request says of its host. */
  readonly baseUrl: () => string;
};

/** What is to be sent, because of what, and to whom. */
export type Sending = {
  readonly occasionId: string;
  readonly kind: OwnMailKind;
  readonly account: AccountRow;
  readonly to: readonly UserRow[];
  readonly letter: Letter;
  /** What a mail with a link leaves by, which the link was made for; any other leaves as the account's mail does. */
  readonly wave?: Wave;
};

const PRIVATE: ReadonlySet<OwnMailKind> = new Set([
  "invitation",
  "password_reset",
  "email_change",
  "sign_up",
]);

/** Accepts a mail for each of these users who has none because of this occasion. One that is refused stops no other. */
export async function sendOwnMail(ctx: TxCtx, tools: OwnMailTools, sending: Sending): Promise<void> {
  const { occasionId: id, kind, account, to, letter } = sending;
  const wave = sending.wave ?? (await tools.accept.findWave(ctx, null, "product"));
  const from = senderFor(account, wave, tools.systemFrom);
  if (!from) {
    ctx.log.warn({ kind }, "a mail of our own has no sender: set SYSTEM_FROM, or a sender of the account");
    return;
  }
  const { sql, accountId, clock } = ctx;
  const userIds = to.map((user) => user.id);
  const fresh = await claimMails(sql, accountId, { id, kind }, userIds, clock.now());
  const users = to.filter((user) => fresh.includes(user.id));
  const prepared = await Promise.all(
    users.map(({ email, joined_at: joinedAt }) =>
      prepare(ctx, tools, { from, email, isOwed: joinedAt !== null, kind, letter, wave }),
    ),
  );
  const ready = prepared.filter((one) => one !== undefined);
  if (ready.length > 0) await acceptEmails(ctx, tools.accept, ready);
}

/** Accepts a mail to somebody who belongs to no account yet, in the name of the instance. The caller sees to it that it is one. */
export async function sendToStranger(
  ctx: TxCtx,
  tools: OwnMailTools,
  { account, ...mail }: Pick<OneMail, "email" | "kind" | "letter" | "wave"> & Pick<Sending, "account">,
): Promise<void> {
  const from = senderFor(account, mail.wave, tools.systemFrom);
  // What somebody has suppressed by hand in an account that the stranger knows nothing of says nothing about this mail.
  const prepared = from && (await prepare(ctx, tools, { ...mail, from, isOwed: true }));
  if (prepared) await acceptEmails(ctx, tools.accept, [prepared]);
}

type OneMail = {
  readonly from: OwnSender;
  readonly email: string;
  readonly isOwed: boolean;
  readonly kind: OwnMailKind;
  readonly letter: Letter;
  readonly wave: Wave;
};

/** Returns undefined where the mail is refused, for example because the address has bounced. */
async function prepare(ctx: Ctx, tools: OwnMailTools, mail: OneMail): Promise<PreparedEmail | undefined> {
  const { from, email, isOwed, kind, letter, wave } = mail;
  try {
    return await prepareEmail(
      ctx,
      tools.accept,
      {
        from: mailboxOf(from),
        to: [email],
        subject: letter.subject,
        html: writeHtml(letter),
        text: writeText(letter),
        // Automatic replies must not answer it (RFC 3834 §5).
        headers: { "Auto-Submitted": "auto-generated" },
        tags: [`postrider-${kind.replaceAll("_", "-")}`],
        tracking: { opens: false, clicks: false },
      },
      { isPrivate: PRIVATE.has(kind), isOwed, isVouchedFor: true, wave },
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.info({ kind, code: error.problem.code }, "a mail of our own was refused");
    return undefined;
  }
}

function mailboxOf({ name, email }: OwnSender): string {
  // What stands in a header is on one line; the account's name may be anything else.
  const line = (name ?? "").replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  return line === "" ? email : `"${line.slice(0, 100).replaceAll(/["\\]/g, "\\$&")}" <${email}>`;
}

const PROBE: Letter = { subject: "?", paragraphs: [], action: { label: "", url: "" }, notes: [] };

/**
 * Makes the function that says whether an invitation would leave, and not stay in the sandbox, and whether its link may be shown: not
 * where the instance mails it, since whoever redeems it then has the address. It changes nothing.
 */
export function createInvitationMail(tools: Omit<OwnMailTools, "baseUrl">) {
  const leaves = async (ctx: Ctx, user: UserRow): Promise<boolean> => {
    const [wave, account] = await Promise.all([
      findLinkWave(ctx, tools, user),
      getAccount(ctx.sql, ctx.accountId),
    ]);
    const from = account && wave && senderFor(account, wave, tools.systemFrom);
    if (!from || wave.transportId === SANDBOX_TRANSPORT) return false;
    if (!(await mayInvite(ctx, user.id))) return false;
    const all = { ...tools, baseUrl: () => "" };
    const probe = { from, email: user.email, isOwed: user.joined_at !== null, letter: PROBE, wave };
    return (await prepare(ctx, all, { ...probe, kind: "notice" })) !== undefined;
  };
  return async (ctx: Ctx, user: UserRow) => ({
    isMailed: await leaves(ctx, user),
    isShown: !tools.accept.hasInstanceServer,
  });
}
