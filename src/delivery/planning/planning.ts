/** Planning turns the audience of a source into rows of the ledger. Before that, it can explain who would get the mail. */
export { explainAudience } from "./audience.ts";
export { guessDays } from "./days-to-send.ts";
export { planSlice } from "./plan.ts";
