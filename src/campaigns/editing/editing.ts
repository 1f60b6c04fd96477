/** What makes and changes a campaign before it is sent: its fields, its message, its tests and previews. */
export { aboutCampaign, copyCampaign, createCampaign, deleteCampaign } from "./edit.ts";
export { type ComposedForTest, composeForMailTest } from "./mail-test.ts";
export { messageOf } from "./message.ts";
export { composeTests, previewCampaign } from "./test-and-preview.ts";
