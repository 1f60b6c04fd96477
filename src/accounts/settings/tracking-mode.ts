/**
 * Whose opens and clicks are recorded as theirs: everybody's, only those who agreed, nobody's (totals alone), or none at all.
 * An account chooses, and a list may choose otherwise.
 */
export const TRACKING_MODES = ["individual", "consented", "aggregate", "off"] as const;
export type TrackingMode = (typeof TRACKING_MODES)[number];
