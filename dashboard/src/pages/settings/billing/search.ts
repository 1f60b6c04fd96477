/** What the address of the page of billing says. */
type BillingSearch = {
  cursor?: string | undefined;
  /** Whoever comes back from paying on a page of Stripe's. */
  checkout?: "done" | undefined;
};

export function readBillingSearch({ cursor, checkout }: Record<string, unknown>): BillingSearch {
  return {
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
    checkout: checkout === "done" ? "done" : undefined,
  };
}
