/** What an account may set for itself, each with its bounds and how a change is applied. */

export {
  BOUNCE_LIMITS,
  type BounceLimits,
  type BounceLimitsPatch,
  bounceLimitsOf,
  changeBounceLimits,
  type OwnBounceLimits,
} from "./bounce-limits.ts";
export { CHECKLIST_STEPS, type ChecklistStep } from "./checklist.ts";
export {
  changeGuardrails,
  type Guardrails,
  type GuardrailsPatch,
  guardrailsOf,
  type OwnGuardrails,
} from "./guardrails.ts";
export { readSenderAddresses } from "./sender.ts";
export { TRACKING_MODES, type TrackingMode } from "./tracking-mode.ts";
