/** The kinds of alert that are opened. A client may know them by name, so a name never changes. */
export const ALERT_KINDS = [
  "domain_failing",
  "domain_unverified",
  "signing_key_unreadable",
  "blocklisted",
  "dmarc_unknown_source",
  "dmarc_failing",
  "storm",
  "standing",
  "provider",
  "provider_closed",
  "transport_out",
  "automation_unreadable",
  "automations_late",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const SEVERITIES = ["warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const ALERT_STATUSES = ["open", "acknowledged", "closed"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];
