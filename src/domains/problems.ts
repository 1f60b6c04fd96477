import { defineProblem } from "../platform/problems.ts";

export const MOST_DOMAINS = 200;
export const MOST_RETIRING = 20;

export const domainExists = defineProblem(
  409,
  "domain_exists",
  "Domain exists",
  "The account has this domain already; `domain_id` names it.",
);
export const domainInUse = defineProblem(
  409,
  "domain_in_use",
  "Domain in use",
  "A campaign that is scheduled, being sent or paused is from this domain; `campaign_id` names one. Wait, or cancel it.",
);
export const hostTaken = defineProblem(
  409,
  "host_taken",
  "Host taken",
  "Another domain of the account has this host as its return path or tracking host, or one of another account that is proved. Choose " +
    "another name.",
);
export const tooManyDomains = defineProblem(
  409,
  "too_many_domains",
  "Too many domains",
  `An account has at most ${MOST_DOMAINS} domains. Delete those that nobody sends from.`,
);
export const tooManyKeys = defineProblem(
  409,
  "too_many_keys",
  "Too many keys",
  `A domain keeps at most ${MOST_RETIRING} keys that another one has replaced. Each is kept for 7 days, and until its record is removed.`,
);
export const standbyNotPublished = defineProblem(
  409,
  "standby_not_published",
  "Standby key not published",
  "The record of the standby key isn't in the DNS, so mail signed with it would fail. Publish it first; `records` shows it.",
);
export const verifiedLately = defineProblem(
  429,
  "verified_lately",
  "Asked too often",
  "A domain is looked at on request once in 10 seconds, and 10 domains of an account in that time. `Retry-After` says how long to wait.",
);
