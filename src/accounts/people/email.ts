/** The e-mail addresses of people follow the same rules as all others. */
import { parseAddress } from "../../mail/addresses.ts";
import { type Fault, invalid } from "../../platform/problems.ts";

export function isEmail(text: string): boolean {
  return parseAddress(text).ok;
}

/**
 * Returns the form of an address that is compared and must be unique. For a text that is no address it returns a form
 * that nobody has.
 */
export function emailKey(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.key : email.normalize("NFC").toLowerCase();
}

/** Checks the address in a body whose form hasn't been checked yet. */
export function emailFaults(body: unknown): readonly Fault[] {
  const { email } = (body ?? {}) as { email?: unknown };
  if (typeof email !== "string" || email === "" || isEmail(email)) return [];
  return [{ pointer: "/email", code: "invalid_email", detail: "must be an e-mail address" }];
}

/** `pointer` is where the address stands in the body. */
export function refuseBadEmail(email: string, pointer = "/email"): void {
  const faults = emailFaults({ email });
  if (faults.length > 0) throw invalid(...faults.map((fault) => ({ ...fault, pointer })));
}
