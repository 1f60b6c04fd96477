/** What keeps forms from being used against others: proof of work, and limits. */
export { createLimits, type Limits } from "./limits.ts";
export { createProofs, type Proofs } from "./proof.ts";
export { removeOldProtection } from "./store.ts";
