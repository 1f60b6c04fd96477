/** This route sends an automation's mails as a test. */
import { dailyLimitReached, sendingStopped } from "../../accounts/accounts.ts";
import { quotaReached, sendTestMessages } from "../../delivery/delivery.ts";
import { type MessageTools, refuseStrangers } from "../../messages/messages.ts";
import { hasScope, refuseMissingScope } from "../../platform/http/access-control.ts";
import { type Route, writeRoute } from "../../platform/http/route.ts";
import type { SentCampaigns } from "../../subscribers/subscribers.ts";
import { automationNotReady } from "../problems.ts";
import { automationId, Params, requireAutomation, send, tag, write } from "../route-parts.ts";
import { findAutomation } from "../store.ts";
import { AutomationTest, TestInput } from "./schema.ts";
import { composeTest } from "./testing.ts";

export function testingRoutes(tools: MessageTools & { readonly sent: SentCampaigns }): readonly Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/test",
      scope: write,
      audit: { action: "automation.tested", of: "path" },
      tag,
      summary: "Send an automation's mails as a test",
      description:
        "All mails of the draft, or that of one step, at once and whatever its waits and branches, to up to five addresses; without `automations:send`, to " +
        "people of the account alone, else 403. Nothing in them is tracked or counted, and their way out does nothing. Nobody enters the automation.",
      params: Params,
      body: TestInput,
      success: { status: 202, schema: AutomationTest, description: "Handed over." },
      problems: [automationNotReady, sendingStopped, dailyLimitReached, quotaReached],
      async prepare({ ctx, params, body, principal }) {
        if (body.subscriber_id) refuseMissingScope(principal, "subscribers:read");
        const row = await findAutomation(ctx.sql, ctx.accountId, automationId(params.id));
        return row && composeTest(ctx, tools, row, body);
      },
      async handler({ ctx, params, body, principal }, made) {
        await requireAutomation(ctx, params.id);
        if (!hasScope(principal, send)) await refuseStrangers(ctx, body.to, send);
        if (!made) throw new Error("an automation that is there was composed");
        if ("refusal" in made) throw made.refusal;
        await sendTestMessages(ctx, made.messages, {
          stream: "automation",
          hasRelay: tools.relayHost !== undefined,
          isSandbox: made.isSandbox,
        });
        return {
          status: 202,
          body: {
            object: "automation_test" as const,
            automation_id: params.id,
            nodes: [...made.nodes],
            to: [...made.to],
          },
          subjects: made.subjects,
        };
      },
    }),
  ];
}
