/**
 * Reads and writes the session cookie, and decides from which addresses and origins it may be used. It needs no
 * database.
 */
import type { Client } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import { insecureAddress, originMismatch } from "../problems.ts";
import { IDLE_MS } from "./session-rules.ts";

// Browsers accept a `__Host-` cookie only over https (or loopback) and for this very host, never from a neighbouring
// subdomain.
const NAME = "__Host-postrider_session";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";

export const CLEARED_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${IDLE_MS / 1_000}`;
}

/** Returns the token in a `Cookie` header (RFC 6265 §4.2.1). */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === NAME && value) return value;
  }
  return undefined;
}

type Caller = Pick<Client, "host" | "isHttps" | "origin">;

/**
 * Tells whether the request comes from a page of ours: one at the address it was sent to, or at the one the operator
 * configured.
 */
export function isOwnOrigin(caller: Caller, baseUrl: string): boolean {
  if (caller.origin === undefined) return false;
  const scheme = caller.isHttps ? "https" : "http";
  return (
    caller.origin === URL.parse(`${scheme}://${caller.host}`)?.origin ||
    caller.origin === URL.parse(baseUrl)?.origin
  );
}

/**
 * Refuses another site's pages on routes that anyone may call. Programs other than browsers send no `Origin`, and
 * have no cookie that could be abused.
 */
export function refuseForeignOrigin(caller: Caller, baseUrl: string): void {
  if (caller.origin !== undefined && !isOwnOrigin(caller, baseUrl)) throw wrongOrigin();
}

export function wrongOrigin(): AppError {
  return new AppError(originMismatch, "the Origin header does not name the address of this request");
}

/** Refuses addresses for which a browser would drop the cookie silently, and says what to do. */
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
