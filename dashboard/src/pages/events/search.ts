/** The groups of event types that the page filters by; an address may name one. */
export const GROUPS = [
  "subscriber",
  "list",
  "campaign",
  "email",
  "import",
  "api_key",
  "user",
  "account",
] as const;
export type Group = (typeof GROUPS)[number];

export type EventSearch = { readonly cursor?: string | undefined; readonly about?: Group | undefined };

export function readEventSearch({ cursor, about }: Record<string, unknown>): EventSearch {
  return {
    cursor: typeof cursor === "string" ? cursor : undefined,
    about: GROUPS.find((one) => one === about),
  };
}
