/** People inside follow a version lazily: `standingIn` says where a run stands in the newest version that it follows. */
export { decideHeld, type Following, heldAt, type Place, standingIn } from "./following.ts";
