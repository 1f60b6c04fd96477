/** Says whether events may be posted to a URL: it must lead out, be secret on the way, and be what its author meant. */

import type { GuardedSessions } from "../platform/net/guarded-client.ts";
import { readInternalHosts } from "../platform/net/internal.ts";
import { type Fault, invalid } from "../platform/problems.ts";

type UrlTools = { readonly client: GuardedSessions; readonly internalHosts: readonly string[] };

const DETAILS = {
  bad_url: "must be a whole URL such as https://example.com/hooks",
  not_https: "must begin with https://",
  has_credentials: "must not hold a user name or a password; signatures prove who posts",
  internal: "leads to an address inside the operator's network, which is off limits",
} as const;

/** A name that can't be resolved now may be good later, so it is taken. */
export async function judgeUrl(tools: UrlTools, url: string): Promise<void> {
  const fault = await findUrlFault(tools, url);
  if (fault) throw invalid(fault);
}

/** Returns undefined where it may be posted to. */
export async function findUrlFault(
  { client, internalHosts }: UrlTools,
  url: string,
): Promise<Fault | undefined> {
  const judged = await client.judge(url, isListed(url, internalHosts));
  if (judged !== "ok" && judged !== "unresolved") {
    const code = judged === "bad_url" ? "invalid_url" : "url_not_allowed";
    return { pointer: "/url", code, detail: DETAILS[judged] };
  }
  const detail = oddityOf(url);
  return detail === undefined ? undefined : { pointer: "/url", code: "invalid_url", detail };
}

/** The operator's own hosts may have no certificate. */
function isListed(url: string, internalHosts: readonly string[]): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
  return host !== undefined && readInternalHosts(internalHosts).lists(host);
}

/**
 * Says what is odd about a URL that `URL` takes: it mends so much that the result may not be what was meant, such as
 * `https:example.com` or a host in octal. Undefined for one that says what it means.
 */
export function oddityOf(text: string): string | undefined {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  const url = URL.parse(text);
  if (authority === undefined || !url) return DETAILS.bad_url;
  if (authority.includes("@")) return DETAILS.has_credentials;
  if (text.includes("#")) return "must not have a fragment: what follows a # is never sent";
  if (url.port === "0") return "must not have port 0, where nobody can listen";
  if (url.hostname.endsWith(".")) return "must have a host that doesn't end with a dot";
  // A name in another script is written in ASCII by `URL`, and an address in an unusual form in its usual one.
  const host = authority.replace(/:\d+$/, "").toLowerCase();
  const isAsWritten = /[^ -~]/.test(host) || host === url.hostname || url.hostname.startsWith("[");
  return isAsWritten ? undefined : `must have its host in the usual form, which is ${url.hostname}`;
}
