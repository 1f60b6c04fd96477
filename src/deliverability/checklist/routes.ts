import type { Ctx } from "../../platform/context.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { invalid } from "../../platform/problems.ts";
import { type ChecklistTools, readChecklist } from "./checklist.ts";
import { listRates, putRate, type RateRow } from "./rate-store.ts";
import { Checklist, ComplaintRate, ComplaintRateInput, ComplaintRates } from "./schema.ts";

const tag = "Deliverability";
const DAY_MS = 24 * 3_600_000;
const LISTED_MS = 30 * DAY_MS;
const OLDEST_MS = 366 * DAY_MS;

export function checklistRoutes(tools: ChecklistTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/deliverability/checklist",
      scope: "deliverability:read",
      tag,
      summary: "Check the rules for bulk senders",
      description:
        "Every rule that Gmail, Yahoo, Microsoft (Outlook.com) and Apple (iCloud) have for whoever sends much mail, each judged by the " +
        "account's own data: the records of its domains, mail tests, DMARC reports, complaints, bounces and unsubscribes. What nothing " +
        "says anything about is `unknown`. Mails that are still being sent are not counted yet.",
      success: { status: 200, schema: Checklist, description: "The rules, and what is known of each." },
      handler: async ({ ctx }) => ({ status: 200, body: await readChecklist(ctx, tools) }),
    }),
    readRoute({
      path: "/v1/deliverability/complaint_rates",
      scope: "deliverability:read",
      tag,
      summary: "List complaint rates",
      description: "Those that were entered for the last 30 days, newest first.",
      success: { status: 200, schema: ComplaintRates, description: "The rates." },
      async handler({ ctx }) {
        const since = new Date(ctx.clock.now().getTime() - LISTED_MS);
        const rows = await listRates(ctx.sql, ctx.accountId, since);
        return { status: 200, body: { object: "list" as const, data: rows.map(shapeRate) } };
      },
    }),
    writeRoute({
      method: "PUT",
      path: "/v1/deliverability/complaint_rates",
      scope: "deliverability:write",
      audit: { action: "complaint_rates.updated", of: "account" },
      tag,
      summary: "Enter a complaint rate",
      description:
        "Gmail and Apple report no complaints to senders. Enter here what a provider's own pages show for a day, such as Google's " +
        "Postmaster Tools; the checklist then judges by it. A day that was entered before is replaced.",
      body: ComplaintRateInput,
      success: { status: 200, schema: ComplaintRate, description: "The rate." },
      async handler({ ctx, body }) {
        refuseDay(ctx, body.day);
        const row = await putRate(ctx.sql, ctx.accountId, body, ctx.clock.now());
        return { status: 200, body: shapeRate(row) };
      },
    }),
  ];
}

/** East of Greenwich it is tomorrow already. */
function refuseDay({ clock }: Pick<Ctx, "clock">, day: string): void {
  const at = new Date(`${day}T00:00:00Z`);
  const now = clock.now().getTime();
  // 30 February is no date, or the second of March.
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
  if (!isDay || at.getTime() > now + DAY_MS || at.getTime() < now - OLDEST_MS)
    throw invalid({ pointer: "/day", code: "out_of_range", detail: "must be a day of the last year" });
}

function shapeRate({ provider, day, rate, created_at, updated_at }: RateRow): ComplaintRate {
  return {
    object: "complaint_rate",
    provider,
    day,
    rate,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
