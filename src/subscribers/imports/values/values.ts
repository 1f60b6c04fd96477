/** Reads cells of other services' files: answers, times, statuses, tags, JSON, and which custom field a column could be. */
export { readAnswer } from "./answers.ts";
export { flattenAttributes } from "./attributes.ts";
export { fieldKeyOf, proposeField } from "./field-guess.ts";
export {
  createHistoryReader,
  type Fail,
  type History,
  type HistoryDraft,
  type HistoryFormat,
  isOfHistory,
  joinHistories,
  NO_HISTORY,
  NO_TIME,
  standingOf,
} from "./history.ts";
export { plainHeading } from "./plain-heading.ts";
export {
  createStandingReader,
  factsOf,
  isAgainstMail,
  joinFacts,
  STANDINGS,
  type Standing,
  type StandingFacts,
  type StatusValues,
  suppressionReasonOf,
} from "./standing.ts";
export { readTagCell } from "./tag-cell.ts";
export { DATE_ORDERS, type DateOrder, isAmbiguous, orderOf, readDate, readTime } from "./times.ts";
