/** Links: where the numbers in a mail lead, and which of them belong together. */
export { type CountedLinks, createCountedLinks } from "./counted-links.ts";
export { type FollowTools, followLink } from "./follow-link.ts";
export { createLinkTargets, type LinkTargets } from "./link-targets.ts";
