/** Links: where the numbers in a mail lead. */
export { createLinkTargets, type LinkTargets } from "./link-targets.ts";
