/** What steps do: the decision at each, how people are dealt out, and who is led no further. */
export { changeOf } from "./change-of.ts";
export { type Decision, dateFieldOf, decide, type Facts, rulesOf, type Standing } from "./decide.ts";
export { exitOf, type HowLeft } from "./leaving.ts";
export { shareOf } from "./share.ts";
export { MOST_VISITS, reasonOf, type VisitReason } from "./visits.ts";
