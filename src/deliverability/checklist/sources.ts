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

const page = (provider: Provider, title: string, url: string, date: string | null): Source => ({
  provider,
  title,
  url,
  date,
});
const GOOGLE = "https://support.google.com/a/answer";
const YAHOO_HUB = "https://senders.yahooinc.com";
const OUTLOOK = "https://sendersupport.olc.protection.outlook.com/pm";
const MICROSOFT_BLOG = "https://techcommunity.microsoft.com/blog/microsoftdefenderforoffice365blog";

export const GMAIL = page("gmail", "Google: Email sender guidelines", `${GOOGLE}/81126`, "2024-02-01");
export const GMAIL_FAQ = page(
  "gmail",
  "Google: Email sender guidelines FAQ",
  `${GOOGLE}/14229414`,
  "2024-02-01",
);
export const YAHOO = page(
  "yahoo",
  "Yahoo Sender Hub: Sender requirements and recommendations",
  `${YAHOO_HUB}/best-practices/`,
  "2024-02-01",
);
export const YAHOO_LOOP = page(
  "yahoo",
  "Yahoo Sender Hub: Complaint feedback loop",
  `${YAHOO_HUB}/complaint-feedback-loop/`,
  null,
);
export const MICROSOFT = page(
  "microsoft",
  "Microsoft: Outlook's new requirements for high-volume senders",
  `${MICROSOFT_BLOG}/strengthening-email-ecosystem-outlook%E2%80%99s-new-requirements-for-high%E2%80%90volume-senders/4399730`,
  "2025-05-05",
);
export const MICROSOFT_POLICIES = page(
  "microsoft",
  "Outlook.com Postmaster: Policies, practices and guidelines",
  `${OUTLOOK}/policies.aspx`,
  null,
);
export const MICROSOFT_SERVICES = page(
  "microsoft",
  "Outlook.com Postmaster: Services for senders and ISPs",
  `${OUTLOOK}/services.aspx`,
  null,
);
export const APPLE = page(
  "apple",
  "Apple: Postmaster information for iCloud Mail",
  "https://support.apple.com/en-us/102322",
  "2025-02-25",
);
