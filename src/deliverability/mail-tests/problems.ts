import { defineProblem } from "../../platform/problems.ts";

export const inboundNotSet = defineProblem(
  409,
  "inbound_not_set",
  "No mail comes in",
  "A mail test is sent to an address of this instance. Set INBOUND_DOMAIN and INBOUND_PORT, and lead the domain's MX record there.",
);
export const mailTestSandbox = defineProblem(
  409,
  "mail_test_sandbox",
  "Nothing leaves the sandbox",
  "The campaign goes into the sandbox, so no other server would ever see it. Add a transport, or set SMTP_URL; a list of made-up people always stays in the sandbox.",
);
export const tooManyMailTests = defineProblem(
  429,
  "too_many_mail_tests",
  "Too many mail tests",
  "An account begins at most 30 mail tests within an hour. `retry-after` says when the next may begin.",
);
