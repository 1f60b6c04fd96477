/** Sources: each is one sending of one revision. They are launched or opened, paused, resumed, cancelled, taken over and ended here. */
export { cancelRows } from "./cancel.ts";
export { discardSource } from "./discard.ts";
export { addRecipients, closeSource, openSource } from "./given-sources.ts";
export { forgetGiven } from "./given-store.ts";
export { launchSource } from "./launch.ts";
export { pauseOne as pauseForQuota, stopForQuota } from "./quota.ts";
export { mailHasLeft } from "./relaunch.ts";
export { isInReview, waitsForReview } from "./review-store.ts";
export { approveSource, refuseSource, reviewPlanned } from "./reviews.ts";
export {
  cancelSource,
  type Ending,
  endIfDone,
  failSource,
  lockSourcesOf,
  pauseByEngine,
  pauseSource,
  resumeSource,
} from "./source-life.ts";
export { takeOverRows } from "./take-over.ts";
export { cancelInWave, forgetInWave, withdrawFromWaves } from "./wave-store.ts";
export {
  addToWave,
  closeWave,
  findWave,
  reviveLater,
  reviveWave,
  type Wave,
  type WaveOf,
} from "./waves.ts";
