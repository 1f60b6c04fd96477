/** Shows people of the account what a campaign sent: by the frozen revision, whatever the campaign says now. */
import { listSourceRevisions } from "../delivery/delivery.ts";
import {
  contentBusy,
  faultsOfContent,
  type MessageTools,
  type Revision,
  readRevision,
  renderForAuthor,
} from "../messages/messages.ts";
import type { Ctx } from "../platform/context.ts";
import { fromPublicId } from "../platform/ids.ts";
import { AppError, invalidQuery } from "../platform/problems.ts";
import { allFields, findSubscriber, type MergeValues, mergeValuesOf } from "../subscribers/subscribers.ts";
import { notReady, refuse } from "./problems.ts";
import { readClickMarks } from "./stats/stats.ts";
import type { CampaignHead } from "./store.ts";

type SentMail = { readonly subject: string; readonly html: string | null; readonly text: string };

/** Renders it for nobody in particular, or as it would be for this subscriber with the values of today. */
export async function renderSentMail(
  ctx: Ctx,
  { workers }: Pick<MessageTools, "workers">,
  campaign: Pick<CampaignHead, "id" | "status">,
  subscriberId: string | undefined,
  hasClicks = false,
): Promise<SentMail> {
  const subscriber = subscriberId === undefined ? null : await mergeValuesFor(ctx, subscriberId);
  const sources = await listSourceRevisions(ctx.sql, ctx.accountId, campaign.id);
  // Of several tries the last one is what was sent in the end.
  const revisionId = sources.at(-1)?.revisionId;
  if (revisionId === undefined) throw refuse(campaign.status, "nothing of it has been sent yet");
  const revision = (await readRevision(ctx.sql, ctx.accountId, revisionId)) as Revision;
  const markOf = hasClicks ? await readClickMarks(ctx, campaign.id, revisionId) : undefined;
  const rendered = await renderForAuthor(workers, ctx.accountId, revision, subscriber, markOf);
  if (rendered.ok) return rendered.message;
  if (rendered.fault.code === "worker_failed")
    throw new AppError(contentBusy, "it could not be rendered just now; try again in a moment", {
      headers: { "retry-after": "5" },
    });
  throw notReady(faultsOfContent([rendered.fault]));
}

async function mergeValuesFor(ctx: Ctx, text: string): Promise<MergeValues> {
  const id = fromPublicId("sub", text);
  const [fields, subscriber] = await Promise.all([
    allFields(ctx.sql, ctx.accountId),
    id && findSubscriber(ctx.sql, ctx.accountId, id),
  ]);
  if (subscriber) return mergeValuesOf(subscriber, fields);
  const detail = "there is no such subscriber in this account";
  throw new AppError(invalidQuery, "the query has faults; see errors", {
    faults: [{ parameter: "subscriber_id", code: "not_found", detail }],
  });
}
