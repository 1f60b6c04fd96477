/** A launch is prepared here: the campaign is examined, and its message frozen, before anything is written. */
import { listDomainsAbove } from "../../domains/domains.ts";
import {
  contentBusy,
  type Examined,
  examineMessage,
  faultsOfChecks,
  isUndecided,
  type MessageTools,
  makeRevision,
  type Revision,
  readBasis,
} from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { AppError, type Fault } from "../../platform/problems.ts";
import { findSegment, hasMailable } from "../../subscribers/subscribers.ts";
import { messageOf } from "../editing/editing.ts";
import { sentCampaigns } from "../sent-campaigns.ts";
import type { CampaignRow } from "../store.ts";

/** What was checked, and whether it may go. It holds for this very version of the campaign alone. */
export type Launch = {
  readonly version: number;
  /** What it rests on beside the campaign (`readBasis`); whoever launches later looks whether that still holds. */
  readonly basis: string;
  readonly faults: readonly Fault[];
  /** The host of the account's transport that it was examined for: by another one it mustn't leave unseen. */
  readonly ownHost: string | undefined;
  /** Whether the instance had a server of its own when it was examined. */
  readonly hasInstanceServer: boolean;
  readonly isSandbox: boolean;
  /** The domain that it is from, and those of the account that it is or is below; null where it has no sender. */
  readonly from: { readonly domain: string; readonly domainIds: readonly string[] } | null;
  /** Null where there are faults. */
  readonly revision: Revision | null;
};

/** Prepares a launch. It is slow, because it compiles, so it comes before the transaction that launches. */
export async function prepareLaunch(
  ctx: Ctx,
  tools: MessageTools,
  row: CampaignRow,
  mayBeEmpty: boolean,
): Promise<Launch> {
  const message = messageOf(row);
  const basis = await readBasis(ctx, tools, message);
  const examined = await examineMessage(ctx, tools, message);
  if (isUndecided(examined)) {
    const headers = { "retry-after": "5" };
    throw new AppError(contentBusy, "it could not be compiled just now; try again in a moment", { headers });
  }
  const faults = [
    ...faultsOfChecks(examined.checks),
    ...(await audienceFaults(ctx, row, examined.defaults, mayBeEmpty)),
  ];
  const revision = faults.length === 0 ? await makeRevision(ctx, tools, message, examined) : null;
  const { ownHost, isSandbox } = examined.defaults;
  const domain = examined.sender?.domain;
  const from =
    domain === undefined
      ? null
      : { domain, domainIds: await listDomainsAbove(ctx.sql, ctx.accountId, domain) };
  const hasInstanceServer = tools.relayHost !== undefined;
  return { version: row.version, basis, faults, ownHost, hasInstanceServer, isSandbox, from, revision };
}

async function audienceFaults(
  ctx: Ctx,
  { list_id, segment_id, topic_id }: CampaignRow,
  { list, topic }: Examined["defaults"],
  mayBeEmpty: boolean,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (!list) faults.push({ pointer: "/list_id", code: "not_found", detail: "the list is gone" });
  if (segment_id && !(await findSegment(ctx.sql, ctx.accountId, segment_id)))
    faults.push({ pointer: "/segment_id", code: "not_found", detail: "the segment is gone" });
  if (topic_id && !topic)
    faults.push({ pointer: "/topic_id", code: "not_found", detail: "the topic is gone" });
  const audience = { listId: list_id, segmentId: segment_id, topicId: topic_id };
  if (faults.length > 0 || mayBeEmpty || (await hasMailable(ctx, audience, sentCampaigns))) return faults;
  const detail = "nobody would get it: no one here may be mailed";
  return [{ pointer: "/list_id", code: "no_recipients", detail }];
}
