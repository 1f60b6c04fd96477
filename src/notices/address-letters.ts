/** What mails say of a change of somebody's own address. */
import type { Letter } from "./layout.ts";

/**
 * Both mails to a new address have this subject: people of the account see it in the log of mails, and it must not tell whether the address
 * is somebody's.
 */
const SUBJECT = "This e-mail address on Postrider";

export function newAddress({ email, url }: { readonly email: string; readonly url: string }): Letter {
  return {
    subject: SUBJECT,
    paragraphs: [
      `Somebody who is signed in to Postrider wants to use ${email} from now on.`,
      "If it was you, confirm it here, in a browser where you are signed in. The link is good once, for 24 hours, and your sessions elsewhere end when you use it.",
    ],
    action: { label: "Confirm the address", url },
    notes: ["If it wasn't you, do nothing: the link ends by itself. Don't pass this mail on."],
  };
}

/** For an address that somebody has already, or was invited by. */
export function knownAddress({
  email,
  baseUrl,
}: {
  readonly email: string;
  readonly baseUrl: string;
}): Letter {
  return {
    subject: SUBJECT,
    paragraphs: [
      `Somebody who is signed in to Postrider with another address wants to use ${email} from now on. That isn't possible: somebody signs in with it already, or was invited by it.`,
      "If it was you, sign in with this address, or have the invitation revoked first. Nothing was changed.",
    ],
    action: { label: "Sign in", url: `${baseUrl}/sign-in` },
    notes: ["If it wasn't you, do nothing: nobody gets in by it."],
  };
}

/** The new address isn't named: people of the account may read this mail. */
export function changeAsked({
  email,
  baseUrl,
}: {
  readonly email: string;
  readonly baseUrl: string;
}): Letter {
  return {
    subject: "A change of your e-mail address was asked for",
    paragraphs: [
      `Somebody who is signed in as ${email} wants to use another e-mail address from now on. Yours stays until the new one is confirmed.`,
      "If it was you, there is nothing to do. If it wasn't, somebody else is signed in as you: change your password now, which ends all other sessions, take the change back in your profile, and tell an owner of your account.",
    ],
    action: { label: "Look at your profile", url: `${baseUrl}/settings/profile` },
    notes: ["Notices about security are sent to you in any case."],
  };
}

export function changeDone({ email, baseUrl }: { readonly email: string; readonly baseUrl: string }): Letter {
  return {
    subject: "Your e-mail address was changed",
    paragraphs: [
      `${email} no longer signs in to Postrider: whoever signed in with it uses another address now. Sessions elsewhere, links that set a password and invitations to this address have ended.`,
      "If it was you, there is nothing to do. If it wasn't, somebody else has your account: tell an owner of it, or whoever runs this server, now. They remove that person and invite you again.",
    ],
    action: { label: "Open Postrider", url: `${baseUrl}/sign-in` },
    notes: ["This address gets no further notices."],
  };
}
