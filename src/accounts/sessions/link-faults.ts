/** What is wrong with a link, or with what is sent along with it. */
import { AppError, type Fault } from "../../platform/problems.ts";
import { isEmail, passwordFault } from "../people/people.ts";
import { linkUnknown, linkUsed } from "../problems.ts";

export function emailFault(user: object | null, email: string | undefined): Fault | undefined {
  const fault = (code: string, detail: string): Fault => ({ pointer: "/email", code, detail });
  if (user) return email === undefined ? undefined : fault("not_allowed", "the link's user has an address");
  if (email === undefined) return fault("required", "is required");
  return isEmail(email) ? undefined : fault("invalid_email", "must be an e-mail address");
}

/** Only the first owner's link takes an address, and it always sets a new password: what is wrong with that is told beside other faults. */
export function firstPasswordFaults(body: unknown): readonly Fault[] {
  const { email, password } = (body ?? {}) as { email?: unknown; password?: unknown };
  if (typeof email !== "string" || typeof password !== "string") return [];
  const fault = newPasswordFault({ password }, email);
  return fault ? [fault] : [];
}

export function newPasswordFault(input: { readonly password: string }, email: string): Fault | undefined {
  const fault = passwordFault(input.password, email);
  return fault && { pointer: "/password", ...fault };
}

export function unknownLink(): AppError {
  return new AppError(linkUnknown, "this link is mistyped, has expired or was replaced; ask for a new one");
}

export function usedLink(): AppError {
  return new AppError(linkUsed, "this link was used already; sign in, or ask for a new one");
}
