/** The pages from which the rules were taken, each with the day of the version or of the announcement that they follow. */
import type { Provider } from "./schema.ts";

export type Source = {
  readonly provider: Provider;
  readonly title: string;
  readonly url: string;
  /** Null where the page tells no day. */
  readonly date: string | null;
};

/** The day on which all rules were last gone through. */
export const RULES_AS_OF = "2026-11-17";

export const GMAIL: Source = {
  provider: "gmail",
  title: "Google: Email sender guidelines",
  url: "https://support.google.com/a/answer/81126",
  date: "2024-02-01",
};
export const GMAIL_FAQ: Source = {
  provider: "gmail",
  title: "Google: Email sender guidelines FAQ",
  url: "https://support.google.com/a/answer/14229414",
  date: "2024-02-01",
};
export const YAHOO: Source = {
  provider: "yahoo",
  title: "Yahoo Sender Hub: Sender requirements and recommendations",
  url: "https://senders.yahooinc.com/best-practices/",
  date: "2024-02-01",
};
export const YAHOO_LOOP: Source = {
  provider: "yahoo",
  title: "Yahoo Sender Hub: Complaint feedback loop",
  url: "https://senders.yahooinc.com/complaint-feedback-loop/",
  date: null,
};
export const MICROSOFT: Source = {
  provider: "microsoft",
  title: "Microsoft: Outlook's new requirements for high-volume senders",
  url: "https://techcommunity.microsoft.com/blog/microsoftdefenderforoffice365blog/strengthening-email-ecosystem-outlook%E2%80%99s-new-requirements-for-high%E2%80%90volume-senders/4399730",
  date: "2025-05-05",
};
export const MICROSOFT_POLICIES: Source = {
  provider: "microsoft",
  title: "Outlook.com Postmaster: Policies, practices and guidelines",
  url: "https://sendersupport.olc.protection.outlook.com/pm/policies.aspx",
  date: null,
};
export const MICROSOFT_SERVICES: Source = {
  provider: "microsoft",
  title: "Outlook.com Postmaster: Services for senders and ISPs",
  url: "https://sendersupport.olc.protection.outlook.com/pm/services.aspx",
  date: null,
};
export const APPLE: Source = {
  provider: "apple",
  title: "Apple: Postmaster information for iCloud Mail",
  url: "https://support.apple.com/en-us/102322",
  date: "2025-02-25",
};
