/**
 * What a plan may include beside mails. Each has clear doors: who makes one of these, or starts one, needs the feature. What runs already goes on
 * when a plan shrinks, until somebody stops it.
 */
export const FEATURES = ["automations", "smtp_submission", "transports", "webhooks"] as const;
export type Feature = (typeof FEATURES)[number];

/** How people call them, in the sentence that refuses one. */
export const FEATURE_NAMES: Readonly<Record<Feature, string>> = {
  automations: "automations",
  smtp_submission: "mail submitted by SMTP",
  transports: "mail servers of its own",
  webhooks: "webhooks",
};
