import { AppError, defineProblem } from "../platform/problems.ts";

export const wrongCredentials = defineProblem(
  401,
  "wrong_credentials",
  "Wrong e-mail address or password",
  "No user has this address and this password. The answer is the same whether or not the address is known.",
);
export const tooManyAttempts = defineProblem(
  429,
  "too_many_attempts",
  "Too many attempts",
  "There were too many failed attempts for this address or from this network. `Retry-After` says how many seconds to wait.",
);
export const signInBusy = defineProblem(
  503,
  "sign_in_busy",
  "Sign-in is busy",
  "Too many passwords are being checked at this moment. Try again in a few seconds.",
);
export const insecureAddress = defineProblem(
  400,
  "insecure_address",
  "Insecure address",
  "Sessions need https, or the machine itself (`http://127.0.0.1`). Behind a proxy that speaks https, set `TRUST_PROXY`.",
);
export const originMismatch = defineProblem(
  403,
  "origin_mismatch",
  "Wrong origin",
  "A change by a session must come from our own pages: its `Origin` header must name the address it is sent to.",
);
export const noSession = defineProblem(
  404,
  "no_session",
  "No session",
  "The request came with an API key, and a key has no session. Sign in with POST `/v1/session`.",
);
export const linkUnknown = defineProblem(
  404,
  "link_unknown",
  "Unknown link",
  "The link is mistyped, has expired, or was replaced by a newer one. Ask for a new one.",
);
export const linkUsed = defineProblem(
  409,
  "link_used",
  "Link used",
  "The link was used already; each is good for one use. Sign in, or ask for a new one.",
);
export const userExists = defineProblem(
  409,
  "user_exists",
  "User exists",
  "A user with this e-mail address exists already. An address belongs to one user of the whole instance.",
);
export const lastOwner = defineProblem(
  409,
  "last_owner",
  "Last owner",
  "An account always keeps an owner who can sign in. Make another user an owner first.",
);

/** Every wrong credential gets the same sentence, so that nothing tells a known address from an unknown one. */
export function refuseCredentials(): AppError {
  return new AppError(wrongCredentials, "the e-mail address or the password is wrong", {
    headers: { "www-authenticate": 'Bearer realm="postrider"' },
  });
}
