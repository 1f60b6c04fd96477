/**
 * Content: what the author wrote, made into mail. A content is compiled once, on save or at launch: MJML → inlined
 * styles → links as numbers → preview text, footer, pixel → split at its Liquid. A recipient then costs only the values
 * between the pieces. Nothing here touches the database; whatever may run away runs in a thread that can be killed.
 */
export type { Finding } from "./checks/checks.ts";
export type { ContentSource } from "./compile.ts";
export type { CompiledContent } from "./compiled.ts";
export { type ContentFault, isRunaway } from "./faults.ts";
export type { MergeData } from "./merge.ts";
export { HERE, type PreparedContent, prepareContent, renderValues } from "./render.ts";
export { listStarters } from "./starters/starters.ts";
export { type ContentWorkers, startContentWorkers, type WorkerLimits } from "./workers.ts";
