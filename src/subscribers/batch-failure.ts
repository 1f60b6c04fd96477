/** What a batch answers for an item that was refused. */
import type { AppError, Fault } from "../platform/problems.ts";

export function failedItem(error: AppError) {
  const errors: readonly Fault[] = error.faults;
  return {
    status: error.problem.status,
    error: {
      code: error.problem.code,
      detail: error.message,
      ...(errors.length > 0 && { errors }),
      ...error.members,
    },
  };
}
