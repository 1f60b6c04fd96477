import { dailyLimitReached, sendingStopped, testAddressOf } from "../../accounts/accounts.ts";
import { findCampaign, preflightFailed } from "../../campaigns/campaigns.ts";
import { contentBusy } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { fromPublicId, requireId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery, missing } from "../../platform/problems.ts";
import { type BeginTools, beginMailTest, composeMailTest } from "./begin.ts";
import { inboundNotSet, mailTestSandbox, tooManyMailTests } from "./problems.ts";
import {
  MailTest,
  MailTestCreate,
  MailTestPage,
  MailTestQuery,
  type MailTestReport,
  type MailTestSummary,
} from "./schema.ts";
import { countTests, findTest, listTests, readReport, type TestRow } from "./store.ts";

const Params = Strict({ id: PublicId("mtt") });
const tag = "Mail tests";
const read = "deliverability:read";
const write = "deliverability:write";

export function mailTestRoutes(tools: BeginTools): readonly Route[] {
  const summaryOf = (row: TestRow) => shapeSummary(row, tools.inboundDomain);
  const whole = (row: TestRow, report: MailTestReport | null): MailTest => ({ ...summaryOf(row), report });
  return [
    readRoute({
      path: "/v1/deliverability/tests",
      scope: read,
      tag,
      summary: "List mail tests",
      description: "Those of the last 90 days, newest first, without their reports.",
      query: MailTestQuery,
      success: { status: 200, schema: MailTestPage, description: "A page of mail tests." },
      async handler(call) {
        const campaignId = await readCampaignId(call.ctx, call.query.campaign_id);
        return pageByAge(call, {
          list: (db, accountId, page) => listTests(db, accountId, campaignId, page),
          count: (db, accountId) => countTests(db, accountId, campaignId),
          shape: summaryOf,
        });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/deliverability/tests",
      scope: write,
      audit: { action: "mail_test.created", of: "answer" },
      tag,
      summary: "Test a campaign's mail",
      description:
        "The campaign leaves by its real transport, as a subscriber would get it but for links that lead nowhere, to an address of this " +
        "instance that takes this one mail. What arrives is examined as a large provider would: ask for the test until `status` is no " +
        "longer `waiting`. After 15 minutes it is `expired`. An account begins at most 30 within an hour.",
      body: MailTestCreate,
      success: { status: 202, schema: MailTest, description: "The test, whose mail is on its way." },
      problems: [
        inboundNotSet,
        mailTestSandbox,
        tooManyMailTests,
        preflightFailed,
        contentBusy,
        sendingStopped,
        dailyLimitReached,
      ],
      prepare: ({ ctx, body }) => composeMailTest(ctx, tools, body.campaign_id),
      async handler({ ctx, baseUrl }, begun) {
        if ("refusal" in begun) throw begun.refusal;
        const row = await beginMailTest(ctx, tools, begun);
        const body = whole(row, null);
        return { status: 202, body, headers: { location: `${baseUrl}/v1/deliverability/tests/${body.id}` } };
      },
    }),
    readRoute({
      path: "/v1/deliverability/tests/:id",
      scope: read,
      tag,
      summary: "Get a mail test",
      description: "With its report, once the mail has come and was examined.",
      params: Params,
      success: { status: 200, schema: MailTest, description: "The test." },
      async handler({ ctx, params }) {
        const { sql, accountId } = ctx;
        const id = requireId("mtt", params.id, "mail test");
        const row = await findTest(sql, accountId, id);
        if (!row) throw missing("mail test");
        return { status: 200, body: whole(row, await readReport(sql, accountId, id)) };
      },
    }),
  ];
}

async function readCampaignId(
  { sql, accountId }: Ctx,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const id = fromPublicId("cmp", text);
  if (id !== undefined && (await findCampaign(sql, accountId, id))) return id;
  const detail = "there is no such campaign in this account";
  throw new AppError(invalidQuery, "the query has faults; see errors", {
    faults: [{ parameter: "campaign_id", code: "not_found", detail }],
  });
}

function shapeSummary(row: TestRow, inboundDomain: string | undefined): MailTestSummary {
  const isOpen = row.status === "waiting" && inboundDomain !== undefined;
  return {
    object: "mail_test",
    id: toPublicId("mtt", row.id),
    status: row.status,
    campaign_id: toPublicId("cmp", row.campaign_id),
    campaign_name: row.campaign_name,
    subject: row.subject,
    from: row.from_address,
    transport_id: row.transport_id && toPublicId("trn", row.transport_id),
    transport_name: row.transport_name,
    address: isOpen ? testAddressOf(row.account_id, row.id, inboundDomain) : null,
    sent_at: row.sent_at?.toISOString() ?? null,
    reply: row.reply,
    arrived_at: row.arrived_at?.toISOString() ?? null,
    failure: row.failure,
    score: row.score,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    updated_at: (row.finished_at ?? row.arrived_at ?? row.sent_at ?? row.created_at).toISOString(),
  };
}
