/** The schemas of what an account may set for itself. */

export { BlocksStyle, type FONTS } from "./blocks-style-schema.ts";
export { BounceLimits, BounceLimitsPatch } from "./bounce-limits-schema.ts";
export { Guardrails, GuardrailsPatch } from "./guardrails-schema.ts";
