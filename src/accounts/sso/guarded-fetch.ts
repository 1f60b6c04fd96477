/**
 * Gives the OpenID Connect library the guarded client in place of `fetch`: it follows no redirect, reaches nothing internal that the
 * operator hasn't named, and every step has a limit.
 */
import type { CustomFetch } from "openid-client";
import { createGuardedClient } from "../../platform/net/guarded-client.ts";
import { readInternalHosts } from "../../platform/net/internal.ts";
import { reachOf } from "../../platform/net/reach.ts";

/** The provider gave no answer, or one that says that it can't answer now. */
export class ProviderAway extends Error {}

/** Metadata, keys and tokens have some kilobytes. */
const MOST_BYTES = 512 * 1_024;
/** Somebody waits at a page meanwhile, and a sign-in asks three times at most. */
const LIMITS_MS = { connect: 3_000, headers: 5_000, whole: 6_000 };

type Options = { readonly issuer: string; readonly internalHosts: readonly string[] };

/**
 * The operator has named the issuer, so its host may stand in the network behind us, whatever INTERNAL_HOSTS lists; what the issuer's
 * metadata leads to elsewhere in that network must be listed.
 */
export function createGuardedFetch({ issuer, internalHosts }: Options): CustomFetch {
  const own = hostOf(issuer);
  const client = createGuardedClient({ internalHosts: [...internalHosts, own] });
  const { lists } = readInternalHosts([...internalHosts]);
  const mayHttp = (host: string) => lists(host) || reachOf(host) === "loopback";
  return async (url, { method, headers, body }) => {
    const answer = await client.fetch(url, {
      method: method === "POST" ? "POST" : "GET",
      headers: pick(headers),
      ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
      allowsHttp: mayHttp(hostOf(url)),
      mostBytes: MOST_BYTES,
      limitsMs: LIMITS_MS,
    });
    if (answer.kind === "refused") throw new ProviderAway(`its address is refused (${answer.why})`);
    if (answer.kind === "failed")
      throw new ProviderAway(`it can't be reached (${answer.why}, ${answer.code})`);
    if (answer.status >= 500 || answer.status === 429) throw new ProviderAway(`it answers ${answer.status}`);
    const given = Object.entries(answer.headers).filter(
      (one): one is [string, string] => one[1] !== undefined,
    );
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: given,
    });
  };
}

/** Tells whether plain http may be spoken to the issuer: on this machine, or where INTERNAL_HOSTS lists its host. */
export function mayBePlain({ issuer, internalHosts }: Options): boolean {
  const host = hostOf(issuer);
  return readInternalHosts([...internalHosts]).lists(host) || reachOf(host) === "loopback";
}

function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? "").replace(/^\[|\]$/g, "");
}

const SENT = ["accept", "authorization", "content-type", "user-agent"] as const;

function pick(headers: Readonly<Record<string, string>>) {
  const given = new Headers(headers);
  return Object.fromEntries(
    SENT.flatMap((name) => {
      const value = given.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
  );
}
