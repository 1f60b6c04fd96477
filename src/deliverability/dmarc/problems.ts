import type { Refusal } from "../../mail/dmarc-reports/dmarc-reports.ts";
import { AppError, defineProblem } from "../../platform/problems.ts";

export const invalidReport = defineProblem(
  422,
  "invalid_report",
  "Invalid report",
  "There is no DMARC aggregate report in the file that can be read to its end; `reason` and `detail` say why. Nothing of it was kept.",
);
export const foreignDomain = defineProblem(
  422,
  "foreign_domain",
  "Domain of somebody else",
  "The report is about a domain that is none of this account's; `domain` names it. Add the domain first. Nothing was kept.",
);
export const reportTooOld = defineProblem(
  422,
  "report_too_old",
  "Report too old",
  "Reports are kept for 13 months, and this one is about an earlier time. Nothing was kept.",
);
export const reportsBusy = defineProblem(
  503,
  "reports_busy",
  "Too many reports at once",
  "Too many reports are being uploaded at this moment. `Retry-After` says how many seconds to wait.",
);

export function invalidReportBecause({ reason, detail }: Refusal): AppError {
  return new AppError(invalidReport, detail, { members: { reason } });
}

export function tooBusy(): AppError {
  return new AppError(reportsBusy, "too many reports are arriving at this moment", {
    headers: { "retry-after": "2" },
  });
}
