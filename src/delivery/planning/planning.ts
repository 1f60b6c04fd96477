/** Planning: the audience of a source becomes rows of the ledger, and is explained before that. */
export { explainAudience } from "./audience.ts";
export { planSlice } from "./plan.ts";
