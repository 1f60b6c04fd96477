/** What keeps forms from being used against others: proof of work, and limits. */
export { createLimits } from "./limits.ts";
export { createProofs } from "./proof.ts";
export { removeOldProtection } from "./store.ts";
