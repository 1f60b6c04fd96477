import type { TxCtx } from "../../platform/context.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, defineProblem, rateLimited } from "../../platform/problems.ts";
import type { BlocklistTools } from "./check.ts";
import { checkKind, keyOf } from "./job-kinds.ts";
import { BlocklistCheck, Blocklists } from "./schema.ts";
import { showBlocklists } from "./show.ts";
import { claimAsked, readCheck } from "./store.ts";

const tag = "Deliverability";
const ASKED_EVERY_MS = 10 * 60_000;

const blocklistsOff = defineProblem(
  409,
  "blocklists_off",
  "Blocklists are off",
  "This instance asks no blocklist. `why_off` of `GET /v1/deliverability/blocklists` says why.",
);

export function blocklistRoutes(tools: BlocklistTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/deliverability/blocklists",
      scope: "deliverability:read",
      tag,
      summary: "Show what blocklists say",
      description:
        "What DNS blocklists (RFC 5782) say of the addresses that mail tests have seen the account's mail leave by, and of its " +
        "domains. They are looked up once a day, and an alert tells of a listing. A list is believed only while its own test entries " +
        "are answered as they should be.",
      success: { status: 200, schema: Blocklists, description: "The lists, and what they say." },
      handler: async ({ ctx }) => ({ status: 200, body: await showBlocklists(ctx, tools) }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/deliverability/blocklists/check",
      scope: "deliverability:write",
      audit: { action: "blocklists.checked", of: "account" },
      tag,
      summary: "Look up the blocklists now",
      description: "It takes some seconds. It may be asked for once in ten minutes.",
      success: { status: 202, schema: BlocklistCheck, description: "They will be looked up." },
      problems: [blocklistsOff],
      async handler({ ctx }) {
        const { whyOff } = tools.blocklists;
        if (whyOff !== null) throw new AppError(blocklistsOff, whyOff);
        return { status: 202, body: await askForCheck(ctx) };
      },
    }),
  ];
}

async function askForCheck(ctx: TxCtx) {
  const now = ctx.clock.now();
  const since = new Date(now.getTime() - ASKED_EVERY_MS);
  if (!(await claimAsked(ctx.sql, ctx.accountId, now, since))) {
    const last = (await readCheck(ctx.sql, ctx.accountId))?.asked_at ?? now;
    const waitMs = last.getTime() + ASKED_EVERY_MS - now.getTime();
    const headers = { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
    throw new AppError(rateLimited, "they were looked up less than ten minutes ago", { headers });
  }
  const payload = { account_id: ctx.accountId };
  await addJob(ctx.sql, checkKind, payload, { key: keyOf(payload) });
  return {
    object: "blocklist_check" as const,
    requested_at: now.toISOString(),
    next_allowed_at: new Date(now.getTime() + ASKED_EVERY_MS).toISOString(),
  };
}
