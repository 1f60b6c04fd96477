/**
 * Sends a campaign again to those who neither opened nor clicked it: a copy of it as a draft, for a segment that asks so. The segment
 * is asked when the copy is sent, so that who opens the first mail meanwhile doesn't get the second. It holds nobody whose opens
 * can't be seen.
 */
import { readCounts } from "../../delivery/delivery.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import {
  compileRules,
  countGroups,
  createSegment,
  findList,
  type Rule,
} from "../../subscribers/subscribers.ts";
import { copyCampaign } from "../editing/editing.ts";
import { opensNotTracked, refuse } from "../problems.ts";
import { sentCampaigns } from "../sent-campaigns.ts";
import type { CampaignHead, CampaignRow } from "../store.ts";

const LONGEST_NAME = 200;
const SEGMENT_NAME = ": neither opened nor clicked";

/** Says how many the copy would go to, and why not to the others. The parts sum up to `sent`. */
export type ResendCounts = {
  readonly sent: number;
  readonly engaged: number;
  readonly willGet: number;
  /** Who got it and is there, but whose opens can't be seen. */
  readonly unseen: number;
  /** Who got it and left since, was suppressed or was deleted, or has left its topic. */
  readonly gone: number;
};

export async function countForResend(ctx: Ctx, campaign: CampaignHead): Promise<ResendCounts> {
  const seen = await requireSeen(ctx, campaign);
  const { id, list_id: listId, topic_id: topicId } = campaign;
  const compile = (rule: Rule) =>
    compileRules(ctx, rule, { listId, at: ctx.clock.now(), sent: sentCampaigns });
  const engaged: Rule = { any: (["opened", "clicked"] as const).map((field) => asks(field, "campaign", id)) };
  const [wasSent, hasEngaged, hasNot, { sent }] = await Promise.all([
    compile(asks("sent", "campaign", id)),
    compile(engaged),
    compile({ all: withoutEngagement(seen).map((field) => asks(field, "not_campaign", id)) }),
    readCounts(ctx.sql, ctx.accountId, id),
  ]);
  const { willGet, ...others } = await countGroups(ctx, { listId, topicId }, wasSent, [
    ["engaged", hasEngaged],
    ["willGet", hasNot],
    ["unseen", sql`true`],
  ]);
  const here = others.engaged + willGet + others.unseen;
  return { sent, ...others, willGet, gone: Math.max(0, sent - here) };
}

export async function resendCampaign(ctx: TxCtx, campaign: CampaignRow): Promise<CampaignRow> {
  const seen = await requireSeen(ctx, campaign);
  const value = toPublicId("cmp", campaign.id);
  const letters = [...campaign.name].slice(0, LONGEST_NAME - SEGMENT_NAME.length).join("");
  const input = {
    name: letters + SEGMENT_NAME,
    list_id: toPublicId("lst", campaign.list_id),
    rules: { all: withoutEngagement(seen).map((field) => ({ field, op: "not_campaign", value })) },
  };
  const segment = await createSegment(ctx, input, sentCampaigns);
  return copyCampaign(ctx, campaign, " again", { segment_id: segment.id });
}

function asks(field: "sent" | "opened" | "clicked", op: "campaign" | "not_campaign", value: string): Rule {
  return { field, op, value };
}

/** Where clicks can't be seen, no rule can ask for them: it would match nobody. */
function withoutEngagement({ seesClicks }: Seen): readonly ("opened" | "clicked")[] {
  return seesClicks ? ["opened", "clicked"] : ["opened"];
}

type Seen = { readonly seesClicks: boolean };
const OVER: readonly string[] = ["sent", "canceled", "failed"];

/** Refuses a campaign that isn't over, one whose list is gone, and one of whose mail nobody's opens can be seen. */
async function requireSeen(ctx: Ctx, { id, status, list_id: listId }: CampaignHead): Promise<Seen> {
  if (!OVER.includes(status)) throw refuse(status, "it isn't sent yet, so nobody can be said not to open it");
  if (!(await findList(ctx.sql, ctx.accountId, listId)))
    throw refuse(status, "its list was deleted, and whoever was on it with it");
  const sources = await sentCampaigns.ofCampaigns(ctx.sql, ctx.accountId, [id], ctx.clock.now());
  if (sources.length === 0) throw refuse(status, "nothing of it was sent");
  if (sources.every(({ opens }) => opens === "nobody")) {
    const detail = "opens of this campaign weren't tracked for anybody, so nobody can be said not to open it";
    throw new AppError(opensNotTracked, detail);
  }
  return { seesClicks: sources.some(({ clicks }) => clicks !== "nobody") };
}
