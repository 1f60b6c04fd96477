/** What a person is told of their own sign-in. */
import { findUser } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import { fromPublicId } from "../platform/ids.ts";
import { quoted } from "./layout.ts";
import { type About, type Notice, SECURITY, timeOf } from "./notice-parts.ts";

export async function ofPassword(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const id = fromPublicId("usr", String(event.data["user_id"]));
  const user = id && (await findUser(ctx.sql, ctx.accountId, id));
  if (!user) return undefined;
  const whose = `The password of ${user.email} at ${quoted(account.name, "Postrider")}`;
  const at = timeOf(account, event);
  // A password ends when its person comes by single sign-on for the first time.
  const [done, paragraph] =
    user.password_hash === null
      ? [
          "ended",
          `${whose} ended on ${at} with the first sign-in by single sign-on, and so did second factors and other sessions.`,
        ]
      : ["was changed", `${whose} was changed on ${at}. Sessions elsewhere have ended.`];
  return {
    kind: "security_notice",
    to: [user],
    letter: {
      subject: `Your password ${done}`,
      paragraphs: [
        paragraph,
        "If it was you, there is nothing to do. If it wasn't, somebody else has your account: choose a new password now, and tell an owner.",
      ],
      action: { label: "Ask for a new password", url: `${baseUrl}/forgotten-password` },
      notes: [SECURITY],
    },
  };
}

const FACTORS: Readonly<Record<string, string>> = { totp: "An authenticator app", passkey: "A passkey" };

/**
 * Somebody with the password who adds the first factor locks its person out of their settings. A new password needs no factor and ends all
 * sessions, but no mail takes a factor away: only whoever runs the server does (`users reset-factors`).
 */
const IF_ADDED = [
  "If it is the first one, all other sessions have ended, and a sign-in asks for it from now on. If it was you, there is nothing to do.",
  "If it wasn't you, somebody else has your password. Choose a new one now: that ends every session, theirs too. Then have whoever runs this server remove the factor, since a new password leaves it where it is, and tell an owner.",
];
const IF_REMOVED = [
  "If it was you, there is nothing to do. If it wasn't, somebody else has your account: choose a new password now, look at your factors, and tell an owner.",
];

/** Whoever removed the factors at the command line is the operator, and the person hears that too. */
export async function ofFactor(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const id = fromPublicId("usr", String(event.data["user_id"]));
  const user = id && (await findUser(ctx.sql, ctx.accountId, id));
  if (!user) return undefined;
  const what = FACTORS[String(event.data["factor"])] ?? "A second factor";
  const isAdded = event.type === "user.factor_added";
  const by = event.actor_kind === "system" ? " by the operator of this server" : "";
  return {
    kind: "security_notice",
    to: [user],
    letter: {
      subject: isAdded ? `${what} was added` : `${what} was removed`,
      paragraphs: [
        `${what} was ${isAdded ? "added to" : "removed from"} the sign-in of ${user.email} at ${quoted(account.name, "Postrider")} on ${timeOf(account, event)}${by}.`,
        ...(isAdded ? IF_ADDED : IF_REMOVED),
      ],
      action: isAdded
        ? { label: "Ask for a new password", url: `${baseUrl}/forgotten-password` }
        : { label: "Look at your factors", url: `${baseUrl}/settings/security` },
      notes: [SECURITY],
    },
  };
}

/** Somebody who has the codes, or the password, may not be the person. */
export async function ofFactorUse(ctx: Ctx, { account, event, baseUrl }: About): Promise<Notice | undefined> {
  const id = fromPublicId("usr", String(event.data["user_id"]));
  const user = id && (await findUser(ctx.sql, ctx.accountId, id));
  if (!user) return undefined;
  const isUsed = event.type === "user.recovery_code_used";
  const where = `at ${quoted(account.name, "Postrider")} on ${timeOf(account, event)}`;
  return {
    kind: "security_notice",
    to: [user],
    letter: {
      subject: isUsed ? "A recovery code was used" : "A sign-in was stopped at the second factor",
      paragraphs: [
        isUsed
          ? `A recovery code of ${user.email} was used in the place of a second factor ${where}. It is worth nothing from now on.`
          : `Somebody gave the right password of ${user.email}, and then five wrong second factors, ${where}. They weren't let in.`,
        isUsed
          ? "If it was you, there is nothing to do. If it wasn't, somebody else has your codes and your password: choose a new password now, make new codes, and tell an owner."
          : "If it was you, sign in again. If it wasn't, somebody else knows your password: choose a new one now, and tell an owner.",
      ],
      action: { label: "Look at your sign-in", url: `${baseUrl}/settings/security` },
      notes: [SECURITY],
    },
  };
}
