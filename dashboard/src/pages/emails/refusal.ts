import { asApiError } from "../../api/problem.ts";

/** Whether the service refused it, so that asking again by itself would help nobody. */
export function isRefusal(error: unknown): boolean {
  if (!error) return false;
  const { status } = asApiError(error);
  return status >= 400 && status < 500;
}
