/**
 * What mails say to whoever signs up. Nothing in them but the address is what somebody typed: anybody may have them sent to anybody, and
 * the name of an account would carry any message.
 */
import type { Letter } from "./layout.ts";

/** Both mails have this subject: people of the first account see it in the log of mails, and it must not tell whether the address is somebody's. */
const SUBJECT = "Your account on Postrider";

export function openAccount({ email, url }: { readonly email: string; readonly url: string }): Letter {
  return {
    subject: SUBJECT,
    paragraphs: [
      `Somebody wants to open an account on Postrider with ${email}.`,
      "If it was you, choose a password here, and it is yours. The link is good once, for 24 hours.",
    ],
    action: { label: "Open the account", url },
    notes: [
      "If it wasn't you, do nothing: no account is opened, and the link ends by itself. Don't pass this mail on.",
    ],
  };
}

export function alreadyHere({
  email,
  baseUrl,
}: {
  readonly email: string;
  readonly baseUrl: string;
}): Letter {
  return {
    subject: SUBJECT,
    paragraphs: [
      `Somebody wants to open an account on Postrider with ${email}. You sign in with this address already.`,
      "If it was you, sign in. If you have forgotten the password, the page where you sign in leads to a new one. Nothing was changed.",
    ],
    action: { label: "Sign in", url: `${baseUrl}/sign-in` },
    notes: ["If it wasn't you, do nothing: nobody gets in by it."],
  };
}
