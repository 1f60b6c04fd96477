/** Saves the draft of a campaign while it is typed. A campaign that was sent can't be changed any more. */
import type { Campaign, CampaignPatch } from "../../../../api/openapi.ts";
import type { Answered } from "../../../../drafts/draft-state.ts";
import { createSaver, type Saver, type SaverTools } from "../../../../drafts/saver.ts";
import { CAMPAIGN_FIELDS, type DraftField } from "./draft.ts";

export type CampaignSaver = Saver<Campaign, DraftField>;

type Tools = Pick<SaverTools<Campaign, DraftField>, "read"> & {
  readonly write: (patch: CampaignPatch, ifMatch: string | undefined) => Promise<Answered<Campaign>>;
};

export const createCampaignSaver = (found: Answered<Campaign>, { read, write }: Tools): CampaignSaver =>
  createSaver(found, {
    fields: CAMPAIGN_FIELDS,
    read,
    write: (patch, ifMatch) => write(patch as CampaignPatch, ifMatch),
    isEditable: ({ allowed_actions }) => allowed_actions.includes("update"),
    lockedCode: "campaign_locked",
  });
