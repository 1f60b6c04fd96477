/** The mails that went to one person, for the person themselves: without the other recipients, who are none of their business. */
import type { Ctx } from "../../platform/context.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { digestsOf } from "../sealed.ts";
import { showEmails } from "./read.ts";
import { listEmails } from "./search.ts";

const PAGE = 200;

export async function listEmailsToPerson(ctx: Ctx, secrets: Secrets, addressKey: string) {
  const filter = {
    terms: [digestsOf(secrets, ctx.accountId, { kind: "to", key: addressKey })],
    isFirstRare: true,
    status: undefined,
    createdAfter: undefined,
    createdBefore: undefined,
    suppressedTerm: digestsOf(secrets, ctx.accountId, { kind: "suppressed" }),
  };
  const found = [];
  let after: string | undefined;
  for (;;) {
    const rows = await listEmails(ctx.sql, ctx.accountId, filter, { limit: PAGE, after });
    found.push(...(await showEmails(ctx, secrets, rows)));
    after = rows.at(-1)?.id;
    if (rows.length < PAGE) break;
  }
  return found.map(({ id, from, subject, status, tags, metadata, opens, clicks, created_at }) => ({
    id,
    from,
    subject,
    status,
    tags,
    metadata,
    opens,
    clicks,
    created_at,
  }));
}
