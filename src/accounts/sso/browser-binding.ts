/**
 * Binds a sign-in to the browser that began it, by a cookie. Whoever is lured to the end of somebody else's sign-in lacks the cookie, and isn't
 * signed in as them. The nonce and the verifier of PKCE are made from the cookie, so that the database holds nothing by which a sign-in
 * could be finished.
 */
import { createHash, randomBytes } from "node:crypto";
import { hashToken } from "../token-format.ts";
import type { Proofs } from "./provider.ts";

const NAME = "__Host-postrider_sso";
const LIFE_S = 600;
const FORM = /^[\w-]{43}$/;

/** A browser that begins in two tabs keeps its cookie, so that both can be finished. */
export function browserToken(cookies: string | undefined): string {
  return readBrowserToken(cookies) ?? randomText();
}

export function readBrowserToken(cookies: string | undefined): string | undefined {
  for (const pair of cookies?.split(";") ?? []) {
    const [name, value = ""] = pair.trim().split("=", 2);
    if (name === NAME && FORM.test(value)) return value;
  }
  return undefined;
}

export function browserCookie(token: string): string {
  return `${NAME}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${LIFE_S}`;
}

export function randomText(): string {
  return randomBytes(32).toString("base64url");
}

export function proofsOf(token: string, state: string): Proofs {
  const made = (what: string) =>
    createHash("sha256")
      .update(JSON.stringify([what, token, state]))
      .digest("base64url");
  return { state, nonce: made("nonce"), verifier: made("verifier") };
}

export function hashesOf(token: string, state: string) {
  return { stateHash: hashToken(state), browserHash: hashToken(token) };
}
