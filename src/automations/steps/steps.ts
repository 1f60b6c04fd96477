/** What steps do: the decision at each, and how people are dealt out. */
export { dateFieldOf, decide, type Facts, rulesOf, type Standing } from "./decide.ts";
export { shareOf } from "./share.ts";
