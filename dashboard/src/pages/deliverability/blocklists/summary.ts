/** What the lists say of an address or a domain, all together. */
import type { BlocklistResult as Result } from "../../../api/openapi.ts";

type Summary = {
  /** `clear` where every list says so; `partly` where some gave no answer, and none lists it. */
  readonly state: "listed" | "clear" | "partly" | "unknown";
  /** How many of the lists say it; of those that are partly known, how many are clear. */
  readonly count: number;
};

export function summaryOf(results: readonly Pick<Result, "status">[]): Summary {
  const count = (status: Result["status"]) => results.filter((one) => one.status === status).length;
  const [listed, clear] = [count("listed"), count("clear")];
  if (listed > 0) return { state: "listed", count: listed };
  if (clear === 0) return { state: "unknown", count: 0 };
  return { state: clear === results.length ? "clear" : "partly", count: clear };
}
