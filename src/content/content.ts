/**
 * Content is what an author wrote, made into mail. It is compiled once: MJML → inlined styles → numbered links →
 * preview text, footer and pixel → split at its Liquid. A recipient then costs only the values between the pieces.
 * Nothing here touches the database; whatever might run for too long runs in a thread that can be killed.
 */
export { findBlockFaults } from "./block-faults.ts";
export { type BlockMark, blockNumberAt } from "./block-marks.ts";
export { BlocksDocument, findGaps, inStyleOf } from "./blocks/blocks.ts";
export { type Finding, isFreeMail } from "./checks/checks.ts";
export type { ContentSource } from "./compile.ts";
export type { CompiledContent, LiquidAddress, NumberedLink, UsedVariable } from "./compiled.ts";
export { escapeHtml } from "./escape.ts";
export { type ContentFault, isRunaway } from "./faults.ts";
export { authorFrame, type LinkMark, markLinks, mountAuthorFrame, placeInHead } from "./frames/frames.ts";
export type { Utm } from "./html/html.ts";
export { type LinkContent, prepareLink } from "./link-rendering.ts";
export { toLocation } from "./link-safety.ts";
export { readLinkWords } from "./link-words.ts";
export { listLiquidNames } from "./liquid/liquid.ts";
export { type MergeData, toScope } from "./merge.ts";
export { HERE, type PreparedContent, prepareContent, renderValues } from "./render.ts";
export { listStarters, type Starter } from "./starters/starters.ts";
export { type ContentWorkers, startContentWorkers, type WorkerLimits } from "./workers/workers.ts";
