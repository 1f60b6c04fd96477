/** What people send in by a form: read, checked, stored, and then carried out by a job. */
export { type Answers, type FaultKind, readAnswers } from "./answers.ts";
export { MOST_BODY_BYTES, readSent } from "./body.ts";
export { type SignUpTools, signUpJob, storeSubmission } from "./sign-up.ts";
export { forgetSubmissions, removeOldSubmissions } from "./store.ts";
