/** A person signs in by password or by a link, with a second factor where they have one, and stays signed in by a session. */
export { isSharedWithOthers, mayMailLink } from "./link-servers.ts";
export { ACCOUNT_HEADER, ACCOUNT_PARAMETER } from "./named-account.ts";
export {
  linkUrl,
  makeFirstOwnerLink,
  makeLink,
  makeMailedLink,
  makeOperatorLink,
  openLink,
  redeemPendingLink,
  type SeenBy,
} from "./password-links.ts";
export { addressOfReset, countLinkRequest } from "./password-resets.ts";
export { refusedSignInJob } from "./refused-sign-ins.ts";
export { createSessionCheck } from "./session-check.ts";
export { refuseForeignOrigin, refuseInsecureAddress } from "./session-cookie.ts";
export {
  asUser,
  confirmSession,
  endOtherSessions,
  findLiveSession,
  findPeopleOf,
  keepOnly,
  type OpenedSession,
  presentSession,
  refuseEndedSession,
} from "./session-life.ts";
export { answerPresent, answerSignIn } from "./session-shape.ts";
export { finishSignIn, type SignedIn } from "./session-start.ts";
export { findRoleOfSession, isBySso, type SessionRow } from "./session-store.ts";
export { isPasswordOf, recordPasswordChange, type SignInTools, wrongPassword } from "./sign-in.ts";
export { createSignInThrottle, type SignInThrottle } from "./sign-in-throttle.ts";
export { countAttempt } from "./throttle-store.ts";
