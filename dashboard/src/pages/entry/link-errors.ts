import { asApiError } from "../../api/problem.ts";

/** The link may be good: nobody could look at it. */
export function mayPass(error: Error): boolean {
  const { status } = asApiError(error);
  return status === 0 || status === 429 || status >= 500;
}
