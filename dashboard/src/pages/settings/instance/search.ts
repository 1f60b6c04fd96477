/** What the address of the page of the instance says. */
export const STATES = ["active", "suspended", "deletion", "standing", "payment_overdue"] as const;

export type InstanceSearch = {
  cursor?: string | undefined;
  state?: (typeof STATES)[number] | undefined;
  q?: string | undefined;
};

export function readInstanceSearch({ cursor, state, q }: Record<string, unknown>): InstanceSearch {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return { cursor: text(cursor), state: STATES.find((one) => one === state), q: text(q)?.slice(0, 100) };
}
