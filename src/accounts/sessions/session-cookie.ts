/** The session cookie, and which addresses and origins it may be used from. No database here. */
import type { Client } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import { insecureAddress, originMismatch } from "../problems.ts";
import { IDLE_MS } from "./session-rules.ts";

// `__Host-`: only over https (or loopback), only for this very host, never set by a neighbouring subdomain.
const NAME = "__Host-postrider_session";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";

export const CLEARED_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${IDLE_MS / 1_000}`;
}

/** The token in a `Cookie` header (RFC 6265 §4.2.1). */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === NAME && value) return value;
  }
  return undefined;
}

type Caller = Pick<Client, "host" | "isHttps" | "origin">;

/** The request comes from a page of ours: of the address it was sent to, or of the one the operator named. */
export function isOwnOrigin(caller: Caller, baseUrl: string): boolean {
  if (caller.origin === undefined) return false;
  const scheme = caller.isHttps ? "https" : "http";
  return (
    caller.origin === URL.parse(`${scheme}://${caller.host}`)?.origin ||
    caller.origin === URL.parse(baseUrl)?.origin
  );
}

/** For what anyone may call: other programs than browsers send no `Origin`, and have no cookie to be abused. */
export function refuseForeignOrigin(caller: Caller, baseUrl: string): void {
  if (caller.origin !== undefined && !isOwnOrigin(caller, baseUrl)) throw wrongOrigin();
}

export function wrongOrigin(): AppError {
  return new AppError(originMismatch, "the Origin header does not name the address of this request");
}

/** A browser would drop the cookie without a word: better to say what to do. */
export function refuseInsecureAddress(caller: Caller): void {
  if (caller.isHttps || isLoopback(caller.host)) return;
  throw new AppError(
    insecureAddress,
    "signing in needs https (behind a proxy that speaks it, set TRUST_PROXY), or http://127.0.0.1 on the machine itself",
  );
}

function isLoopback(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name)
  );
}
