/** These are the parts that the routes of campaigns have in common. */
import { readProgress } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import type { Answer, Principal } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { Campaign } from "./schema.ts";
import { campaignEtag, shapeCampaign } from "./shape.ts";
import { type CampaignHead, type CampaignRow, findCampaign, findHead } from "./store.ts";

export const Params = Strict({ id: PublicId("cmp") });
export const tag = "Campaigns";
export const read = "campaigns:read";
export const write = "campaigns:write";
export const send = "campaigns:send";
/** To see whom a campaign goes to, and what is known of them; people need it beside `campaigns:read`, a key has both. */
export const seeRecipients = "campaigns:recipients";
export const one = { status: 200, schema: Campaign, description: "The campaign as it now is." };

export function campaignId(text: string): string {
  return requireId("cmp", text, "campaign");
}

export async function requireCampaign(ctx: Ctx, text: string): Promise<CampaignRow> {
  const row = await findCampaign(ctx.sql, ctx.accountId, campaignId(text));
  if (!row) throw missing("campaign");
  return row;
}

/** Finds it without its contents. */
export async function requireCampaignHead(ctx: Ctx, text: string): Promise<CampaignHead> {
  const row = await findHead(ctx.sql, ctx.accountId, campaignId(text));
  if (!row) throw missing("campaign");
  return row;
}

export async function answerWith(
  { ctx, principal }: { readonly ctx: Ctx; readonly principal: Principal },
  row: CampaignRow,
  status: number,
): Promise<Answer<Campaign>> {
  const progress = await readProgress(ctx.sql, ctx.accountId, [row.id], ctx.clock.now());
  return { status, body: shapeCampaign(row, progress.get(row.id), principal), etag: campaignEtag(row) };
}
