/**
 * A run is one passage of a subscriber through an automation. This room says who enters, who is woken from a wait, who is led out, and what
 * of it is counted; `executing/` leads people from step to step.
 */
export { causeDepthsOf } from "./cause-depths.ts";
export { addCounts, type Counts, createCounts, FEED_SHARD } from "./counts.ts";
export { type Entry, enterRuns, MOST_ENTRIES_A_DAY } from "./enter.ts";
export { exitEach, exitRuns } from "./exit.ts";
export { activeRunsOf, endedRunsOf } from "./find.ts";
export {
  type Following,
  type Inhabited,
  type Place,
  readFollowing,
  readInhabited,
  readInhabitedGraphs,
  standingIn,
} from "./following.ts";
export { countGoals, type GoalVisit } from "./goals.ts";
export {
  type LiveAutomation,
  readLive,
  readOneLive,
  readVersion,
  readVersionFaults,
  type Version,
} from "./live.ts";
export { type CaughtUpTo, closeLate, findLogicalNow, tellEventsLost } from "./logical-now.ts";
export { hintDue, watchDue } from "./notify.ts";
export { removeRunsJob, removeRunsOf } from "./remove.ts";
export { aheadOf } from "./set-back.ts";
export { takeBackMails } from "./take-back.ts";
export { closeUnreadable, tellUnreadable } from "./unreadable.ts";
export { wakeRuns } from "./wake.ts";
