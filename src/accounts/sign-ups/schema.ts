import { type Static, Type } from "typebox";
import { Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Email, NewPassword, PersonName } from "../users/schema.ts";

const AccountName = Type.String({
  maxLength: 100,
  pattern: "^(?=.*\\S)\\P{Cc}*$",
  "x-error-code": "invalid_name",
  "x-error-detail": "must be one line that isn't blank, without control characters",
  examples: ["Acme Ltd"],
});
const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "What follows the # in the link.",
});

export const SignUpCreate = Strict(
  { email: Email, account_name: AccountName, name: Type.Optional(PersonName) },
  {
    title: "SignUpCreate",
    examples: [{ email: "jane@example.com", account_name: "Acme Ltd", name: "Jane Doe" }],
  },
);

export const SignUp = Type.Object({ object: Type.Literal("sign_up") }, { title: "SignUp" });

export const SignUpInspection = Strict(
  { token: Token },
  { title: "SignUpInspection", examples: [{ token: "pru_…" }] },
);

export const SignUpLink = Type.Object(
  {
    object: Type.Literal("sign_up_link"),
    email: Email,
    account_name: Type.String({ description: "What the account is going to be called." }),
    name: Type.String({ description: "What the owner is called; empty where nobody said." }),
    expires_at: Timestamp,
  },
  { title: "SignUpLink" },
);
export type SignUpLink = Static<typeof SignUpLink>;

export const SignUpRedemption = Strict(
  { token: Token, password: NewPassword, name: Type.Optional(PersonName) },
  {
    title: "SignUpRedemption",
    examples: [{ token: "pru_…", password: "correct horse battery staple", name: "Jane Doe" }],
  },
);
