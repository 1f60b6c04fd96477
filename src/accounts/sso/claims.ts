/** Reads what the provider says of a person. It needs no database. */
import { isEmail } from "../people/people.ts";

export type Claims = {
  /** The provider's own name of the person, which never changes. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider has made sure that the address is theirs. */
  readonly isVerified: boolean;
  readonly groups: readonly string[];
  readonly name: string;
};

type Raw = Readonly<Record<string, unknown>>;

/** OpenID Connect Core §2 lets a subject have 255 characters of ASCII. */
const LONGEST_SUBJECT = 255;
const LONGEST_NAME = 100;

/** Returns a sentence for the operator's log where the claims can't be used. */
export function readClaims(issuer: string, claim: string, { idToken, userInfo }: Tokens): Claims | string {
  const subject = idToken["sub"];
  if (typeof subject !== "string" || !/^[\x20-\x7e]+$/.test(subject) || subject.length > LONGEST_SUBJECT)
    return "the subject is no text of at most 255 characters of ASCII";
  // An address and whether it is verified are taken from one and the same answer.
  const withEmail = idToken["email"] === undefined ? userInfo : idToken;
  const withGroups = idToken[claim] === undefined ? userInfo : idToken;
  if (isElsewhere(idToken, claim))
    return `there are too many groups for the claim ${claim}: send fewer of them`;
  const email = withEmail["email"];
  const isAddress = typeof email === "string" && isEmail(email);
  return {
    subject,
    email: isAddress ? email : null,
    isVerified: isAddress && isVerified(issuer, withEmail),
    groups: readGroups(withGroups[claim]),
    name: readName(idToken["name"] ?? userInfo["name"]),
  };
}

export type Tokens = { readonly idToken: Raw; readonly userInfo: Raw };

/** Tells whether the user info is needed: many providers keep address or groups out of the ID token. */
export function lacksClaims(idToken: Raw, claim: string, wantsGroups: boolean): boolean {
  return idToken["email"] === undefined || (wantsGroups && idToken[claim] === undefined);
}

/** Entra ID never says `email_verified`; `xms_edov` is its word for an address whose domain the tenant has proven. */
function isVerified(issuer: string, claims: Raw): boolean {
  if (claims["email_verified"] === true) return true;
  const isEntra = URL.parse(issuer)?.hostname === "login.microsoftonline.com";
  return isEntra && [true, 1, "1", "true"].includes(claims["xms_edov"] as string);
}

/** Entra ID leaves the groups out where they are more than 200, and says where to ask for them (`_claim_names`). */
function isElsewhere(idToken: Raw, claim: string): boolean {
  const names = idToken["_claim_names"];
  return idToken["hasgroups"] === true || (typeof names === "object" && names !== null && claim in names);
}

/** A claim that is absent means no groups: providers leave out what is empty. */
function readGroups(value: unknown): readonly string[] {
  const given = Array.isArray(value) ? value : [value];
  return given.filter((one): one is string => typeof one === "string" && one !== "");
}

function readName(value: unknown): string {
  return typeof value === "string" && !/\p{Cc}/u.test(value) ? value.trim().slice(0, LONGEST_NAME) : "";
}
