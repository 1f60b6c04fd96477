/** What mails say that have a link in them which sets a password. */
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

export function invitation({ accountName, user, url }: About): Letter {
  const account = quoted(accountName, "an account");
  const how = !isToJoin(user)
    ? `Choose a password for ${user.email}, and you are in.`
    : user.password_hash === null
      ? "Accept by single sign-on, as you sign in to Postrider, and you are in."
      : `Accept with the password that ${user.email} has on Postrider, and you are in.`;
  return {
    subject: `You are invited to ${account}`,
    paragraphs: [
      `You are invited to work with ${account} on Postrider, as ${AS[user.role]}.`,
      `${how} The link is good once, for 7 days.`,
    ],
    action: { label: isToJoin(user) ? "Accept the invitation" : "Choose a password", url },
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
