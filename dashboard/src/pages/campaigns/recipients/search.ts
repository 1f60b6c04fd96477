/** What the address of the recipients of a campaign holds. */
export type RecipientsSearch = { cursor?: string | undefined };

export const readRecipientsSearch = ({ cursor }: Record<string, unknown>): RecipientsSearch => ({
  cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
});
