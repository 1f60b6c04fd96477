/**
 * Guardrails pause a source when too many of its mails bounce or are complained about. What comes too late for a pause holds the
 * account's next campaign.
 */
export { noteFeedback } from "./feedback.ts";
export { guardSource } from "./guard.ts";
export { countAnew, type Hold, type NewFeedback, readHolds, turnHardIntoSoft } from "./guardrail-store.ts";
export { createGuardrailWatch, type GuardrailWatch } from "./watch.ts";
