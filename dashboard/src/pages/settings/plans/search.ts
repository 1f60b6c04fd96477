/** What the address of the page of plans says. */
export const STATES = ["active", "archived"] as const;

export type PlansSearch = { cursor?: string | undefined; state?: (typeof STATES)[number] | undefined };

/** Plans that are offered are shown unless others are asked for. */
export function readPlansSearch({ cursor, state }: Record<string, unknown>): PlansSearch {
  return {
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
    state: STATES.find((one) => one === state),
  };
}
