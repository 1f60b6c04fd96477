/** What follows from complaints: who complained gets no more mail of that kind. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { suppressContacts } from "../../subscribers/subscribers.ts";
import { eventOf } from "./mail-event.ts";
import { type Case, type Made, type MatchedCase, said } from "./rules.ts";
import type { ActingTools } from "./tools.ts";

export async function carryOutComplaints(
  ctx: TxCtx,
  { owner }: Pick<ActingTools, "owner">,
  cases: readonly Case[],
): Promise<ReadonlyMap<Case, Made>> {
  const complaints = cases.filter(
    (one): one is MatchedCase => one.mail !== null && one.report.kind === "complaint",
  );
  // Who complains about a transactional mail wants none of these either, whatever else they complain about.
  const transactionalLast = complaints.toSorted((one, other) => weightOf(one) - weightOf(other));
  const wanted = new Map(
    transactionalLast.map(({ mail }) => [
      mail.personId,
      {
        contactId: mail.personId,
        reason: "complaint" as const,
        source: "delivery",
        about: mail.stream,
        domain: mail.domain || null,
      },
    ]),
  );
  const inOrder = [...wanted.values()].sort((one, other) => (one.contactId < other.contactId ? -1 : 1));
  const written = await suppressContacts(ctx, inOrder, { tellAll: true });
  await recordEvents(
    ctx,
    complaints.map((one) => eventOf(owner, "email.complained", one, {})),
  );
  return new Map(
    complaints.map((one) => [
      one,
      written.has(one.mail.personId)
        ? said("suppressed", "the person wants no such mail")
        : said("counted", "the address was suppressed before"),
    ]),
  );
}

function weightOf({ mail }: MatchedCase): number {
  return mail.stream === "transactional" ? 1 : 0;
}
