/** What follows from reports that a mail arrived: its address works, and whoever wants to know is told once of each mail. */
import { isKept, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { noteReached } from "../../subscribers/subscribers.ts";
import { eventOf } from "./mail-event.ts";
import { listArrived, type ReportRow } from "./report-store.ts";
import { type Case, type Made, type MatchedCase, said } from "./rules.ts";
import type { ActingTools } from "./tools.ts";

export async function carryOutArrivals(
  ctx: TxCtx,
  { owner }: Pick<ActingTools, "owner">,
  cases: readonly Case[],
  earlier: readonly ReportRow[],
): Promise<ReadonlyMap<Case, Made>> {
  const arrived = cases.filter(
    (one): one is MatchedCase => one.mail !== null && one.report.kind === "delivered",
  );
  // It locks the people, so that nobody else tells of the same mails meanwhile.
  await noteReached(
    ctx,
    arrived.map(({ mail, at }) => ({ contactId: mail.personId, at })),
  );
  await tell(ctx, owner, arrived, earlier);
  return new Map(
    arrived.map((one) => [one, said("noted", "it arrived: earlier soft bounces count no more")]),
  );
}

/** A mail may be reported by its server and by a provider, and a provider may post the same again in another body. */
async function tell(
  ctx: TxCtx,
  owner: ActingTools["owner"],
  arrived: readonly MatchedCase[],
  earlier: readonly ReportRow[],
): Promise<void> {
  if (arrived.length === 0 || !(await isKept(ctx.sql, ctx.accountId, "email.delivered"))) return;
  const people = arrived.map(({ mail }) => mail.personId);
  const before = earlier.filter(({ kind, outcome }) => kind === "delivered" && outcome === "noted");
  const told = new Set([...before, ...(await listArrived(ctx.sql, ctx.accountId, people))].map(keyOf));
  const fresh = arrived.filter(({ mail }) => !told.has(keyOf(mail)) && told.add(keyOf(mail)));
  const events = fresh.map((one) => {
    const plain = { ...one, report: { ...one.report, reason: null } };
    return eventOf(owner, "email.delivered", plain, { at: one.at.toISOString() });
  });
  await recordEvents(ctx, events);
}

function keyOf({ sourceId, contactId }: Pick<ReportRow, "sourceId" | "contactId">): string {
  return `${sourceId} ${contactId}`;
}
