/** Begins a test: the campaign is composed before the transaction, and leaves by a job once the test is stored. */
import { drawForTests, refuseWhileHeld, testAddressOf } from "../../accounts/accounts.ts";
import { type ComposedForTest, composeForMailTest, findWholeCampaign } from "../../campaigns/campaigns.ts";
import { findTransportName } from "../../delivery/delivery.ts";
import type { MessageTools } from "../../messages/messages.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import { makeMarks, type TestMarks } from "./arrivals.ts";
import { shapeChecks } from "./examining/content.ts";
import { addSendJob } from "./job-kinds.ts";
import { inboundNotSet, mailTestSandbox, tooManyMailTests } from "./problems.ts";
import { insertTest, lockAndCountSince, type TestRow } from "./store.ts";

export type BeginTools = {
  readonly messages: MessageTools;
  /** Undefined where no mail comes in. */
  readonly inboundDomain: string | undefined;
  readonly inboundPort: number | undefined;
};

const HOUR_MS = 3_600_000;
const MOST_IN_AN_HOUR = 30;
/** Greylisting holds a first mail for five to ten minutes. */
const OPEN_MS = 15 * 60_000;

type Begun = {
  readonly id: string;
  readonly marks: TestMarks;
  readonly composed: ComposedForTest;
};

/** A refusal is a value here: the request may be a repetition, and its first answer stands. */
export async function composeMailTest(
  ctx: Ctx,
  tools: BeginTools,
  campaignId: string,
): Promise<Begun | { readonly refusal: AppError }> {
  try {
    const { inboundDomain: domain } = tools;
    if (domain === undefined || tools.inboundPort === undefined)
      throw new AppError(
        inboundNotSet,
        "set INBOUND_DOMAIN and INBOUND_PORT first; docs/inbound.md says how",
      );
    const campaign = await findWholeCampaign(ctx.sql, ctx.accountId, fromPublicId("cmp", campaignId) ?? "");
    if (!campaign) {
      const detail = "there is no such campaign in this account";
      throw invalid({ pointer: "/campaign_id", code: "not_found", detail });
    }
    const id = newId(ctx.clock);
    const marks = makeMarks();
    const to = testAddressOf(ctx.accountId, id, domain);
    const bounce = to.slice(0, to.lastIndexOf("@"));
    const composed = await composeForMailTest(ctx, tools.messages, campaign, {
      to,
      messageId: marks.messageId,
      // What comes back of it comes to the test itself, which then knows that the mail was refused.
      paths: { bounce, unsubscribe: marks.unsubscribePath },
    });
    if (composed.isSandbox)
      throw new AppError(mailTestSandbox, "the campaign goes into the sandbox, from which nothing leaves");
    return { id, marks, composed };
  } catch (error) {
    if (error instanceof AppError) return { refusal: error };
    throw error;
  }
}

export async function beginMailTest(ctx: TxCtx, tools: BeginTools, begun: Begun): Promise<TestRow> {
  const { sql, accountId, clock } = ctx;
  const { id, marks, composed } = begun;
  await refuseWhileHeld(ctx);
  await drawForTests(ctx, 1);
  const now = clock.now();
  const count = await lockAndCountSince(sql, accountId, new Date(now.getTime() - HOUR_MS));
  if (count >= MOST_IN_AN_HOUR)
    throw new AppError(tooManyMailTests, `${MOST_IN_AN_HOUR} tests were begun within the last hour`, {
      headers: { "retry-after": "600" },
    });
  const transport = await findTransportName(
    sql,
    accountId,
    "campaign",
    tools.messages.relayHost !== undefined,
  );
  const { campaign, message } = composed;
  const row = await insertTest(sql, {
    account_id: accountId,
    id,
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    subject: campaign.subject,
    from_address: composed.fromAddress,
    transport_id: transport.id,
    transport_name: transport.name ?? tools.messages.relayHost ?? "",
    proofs: marks.proofs,
    checks: shapeChecks(composed.checks),
    created_at: now,
    expires_at: new Date(now.getTime() + OPEN_MS),
  });
  await addSendJob(sql, {
    account_id: accountId,
    test_id: id,
    transport_id: transport.id,
    from: message.from,
    to: message.to,
    message: message.message.toString("base64"),
  });
  return row;
}
