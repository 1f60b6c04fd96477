/** Reads the settings of single sign-on. What is wrong with one is an Error that says how it must look. */
import { fromPublicId } from "../ids.ts";

export type OidcGroup = {
  /** The group as the provider writes it. */
  readonly group: string;
  readonly accountId: string;
  readonly role: (typeof ROLES)[number];
};

/** `src/accounts/roles.ts` says what they may do, and the platform doesn't import accounts. */
const ROLES = ["owner", "admin", "marketer", "writer", "viewer"] as const;

/** Anybody's tenant signs in by these, so that whoever runs one could say anything of anybody. */
const ANY_TENANT = /^\/(common|organizations|consumers)(\/|$)/;

/** An issuer is compared character by character with what tokens name (OpenID Connect Core §2), so it is kept as it is written. */
export function parseIssuer(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error("must be an address such as https://login.example.com/realms/main, without ? and #");
  if (url.hostname === "login.microsoftonline.com" && ANY_TENANT.test(url.pathname))
    throw new Error("must name your own tenant: https://login.microsoftonline.com/TENANT_ID/v2.0");
  return value;
}

/** A group may have almost any character in it, such as a slash or a comma, so groups are parted by semicolons. */
export function parseOidcGroups(value: string): readonly OidcGroup[] {
  return value
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map(parseGroup);
}

function parseGroup(text: string): OidcGroup {
  const [, group = "", account = "", word] = /^(.+)=(acc_[^:=]+):([a-z]+)$/.exec(text) ?? [];
  const accountId = fromPublicId("acc", account);
  const role = ROLES.find((one) => one === word);
  if (!accountId || !role)
    throw new Error(`must look like GROUP=acc_…:ROLE, with semicolons; roles are ${ROLES.join(", ")}`);
  return { group: group.trim(), accountId, role };
}

/** What stands on the button; it must fit there. */
export function parseOidcName(value: string): string {
  if (value.length > 40 || /\p{Cc}/u.test(value)) throw new Error("must have 40 characters at most");
  return value;
}
