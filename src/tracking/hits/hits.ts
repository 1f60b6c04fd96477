/** Hits: requests for the pixel and the links of mail. They are stored at once, in an inbox, and counted a little later. */
export type { Hit } from "./hit.ts";
export { lockCounting, removeOldHitGroups, takeHits } from "./hit-store.ts";
export { createHitRecorder, type HitRecorder } from "./recorder.ts";
