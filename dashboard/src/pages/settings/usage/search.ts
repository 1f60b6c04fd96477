/** What the address of the page of usage says. */
type UsageSearch = { month?: string | undefined; cursor?: string | undefined };

export function readUsageSearch({ month, cursor }: Record<string, unknown>): UsageSearch {
  return {
    month: typeof month === "string" && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? month : undefined,
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
  };
}
