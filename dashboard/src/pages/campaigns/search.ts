/** What the address of the list of campaigns holds. */
export type CampaignsSearch = { cursor?: string | undefined };

export const readCampaignsSearch = ({ cursor }: Record<string, unknown>): CampaignsSearch => ({
  cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
});
