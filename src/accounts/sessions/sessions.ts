/** A person signs in by password or by a link and stays signed in by a session. */
export { linkUrl, makeFirstOwnerLink, makeLink, makeMailedLink } from "./password-links.ts";
export { addressOfReset } from "./password-resets.ts";
export { createSessionCheck } from "./session-check.ts";
export { findRoleOfSession } from "./session-store.ts";
