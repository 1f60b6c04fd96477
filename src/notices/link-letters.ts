/** What mails say that have a link in them by which somebody joins an account, or sets a password. */
import { isToJoin, type UserRow } from "../accounts/accounts.ts";
import { type Letter, quoted } from "./layout.ts";

type About = {
  readonly accountName: string;
  readonly user: Parameters<typeof isToJoin>[0] & Pick<UserRow, "email" | "role">;
  readonly url: string;
};

const AS: Readonly<Record<UserRow["role"], string>> = {
  owner: "an owner",
  admin: "an admin",
  marketer: "a marketer",
  writer: "a writer",
  viewer: "a viewer",
};

/** Where passwords are off, people join by single sign-on, whether or not they have a password from before. */
export function invitation({
  accountName,
  user,
  url,
  takesPasswords,
}: About & { readonly takesPasswords: boolean }): Letter {
  const account = quoted(accountName, "an account");
  const choosesPassword = takesPasswords && !isToJoin(user);
  const how = choosesPassword
    ? `Choose a password for ${user.email}, and you are in.`
    : takesPasswords && user.password_hash !== null
      ? `Accept with the password that ${user.email} has on Postrider, and you are in.`
      : "Accept by single sign-on, and you are in.";
  return {
    subject: `You are invited to ${account}`,
    paragraphs: [
      `You are invited to work with ${account} on Postrider, as ${AS[user.role]}.`,
      `${how} The link is good once, for 7 days.`,
    ],
    action: { label: choosesPassword ? "Choose a password" : "Accept the invitation", url },
    notes: [
      "If you didn't expect this, do nothing: nobody gets in without the link. Don't pass this mail on.",
    ],
  };
}

export function passwordReset({ accountName, user, url }: About): Letter {
  return {
    subject: "Choose a new password",
    paragraphs: [
      `Somebody asked for a new password for ${user.email} at ${quoted(accountName, "Postrider")}.`,
      "If it was you, choose one here. The link is good once, for an hour, and your sessions elsewhere end when you use it.",
    ],
    action: { label: "Choose a new password", url },
    notes: [
      "If it wasn't you, do nothing: your password stays as it is, and the link ends by itself. Don't pass this mail on.",
    ],
  };
}
