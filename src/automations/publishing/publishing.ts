/**
 * Publishing makes a version of a draft, with its mails frozen, and moves an automation from one status to the next. People inside follow a
 * version lazily: `standingIn` says where a run stands in the newest version that it follows.
 */
export { archiveDrainedJob, endRunsJob } from "./ending.ts";
export { decideHeld, type Following, heldAt, type Place, standingIn } from "./following.ts";
export { inStep, readMessage } from "./mails.ts";
export { moveOverdueJob } from "./overdue.ts";
export { pauseAutomationJob } from "./pausing.ts";
export { recountWaits } from "./recount.ts";
export { readFollowing } from "./version-store.ts";
