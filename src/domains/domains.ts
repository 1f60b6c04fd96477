/** Sender domains. This file is what other folders may use. */
export type { InstanceKey } from "./instance-keys.ts";
export { createSigningKeys, type SenderFacts, type SenderIdentity, type SigningKeys } from "./signing.ts";
export { hasReturnPath } from "./signing-store.ts";
