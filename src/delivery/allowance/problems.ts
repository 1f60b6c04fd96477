import { AppError, defineProblem } from "../../platform/problems.ts";

export const quotaReached = defineProblem(
  402,
  "quota_reached",
  "Quota reached",
  "The mails that the account may send in this period, or on this day, are used up, so this one isn't accepted. `limit` and `used` have the numbers, and `resets_at` says when there is room again. Another plan makes room at once.",
);

type Room = { readonly limit: number; readonly used: number; readonly resetsAt: Date };

export function overQuota({ limit, used, resetsAt }: Room): AppError {
  return new AppError(quotaReached, `${used} of ${limit} mails are used`, {
    members: { limit, used, resets_at: resetsAt.toISOString() },
  });
}
