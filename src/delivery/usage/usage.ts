/** Usage is how much mail of an account was sent, by hour, stream and whose server it left by. Other rooms use this file alone. */
export { countingSettledUsage, countingUsage, VIAS, type Via } from "./counting.ts";
export { rollUpUsageJob, USAGE_KEPT_DAYS } from "./roll-up.ts";
