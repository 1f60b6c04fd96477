/** What follows from mails that came back: hard bounces suppress, unless they are a storm; several soft ones do; blocks never do. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { noteSoftBounces, suppressContacts } from "../../subscribers/subscribers.ts";
import { HELD, takeDismissed } from "../storms/storms.ts";
import { eventOf } from "./mail-event.ts";
import { type Case, type Made, type MatchedCase, said } from "./rules.ts";
import type { ActingTools } from "./tools.ts";

export async function carryOutBounces(
  ctx: TxCtx,
  tools: Pick<ActingTools, "owner" | "storms">,
  cases: readonly Case[],
): Promise<ReadonlyMap<Case, Made>> {
  const bounces = cases.filter(
    (one): one is MatchedCase => one.mail !== null && one.report.kind === "bounce",
  );
  const of = (kind: Case["report"]["class"]) => bounces.filter(({ report }) => report.class === kind);
  const made = new Map<Case, Made>([
    ...(await carryOutHard(ctx, tools, of("hard"))),
    ...(await carryOutSoft(ctx, of("soft"))),
  ]);
  for (const one of of("block"))
    made.set(one, said("counted", "it is about the sender, and never suppresses an address"));
  await recordEvents(
    ctx,
    bounces.map((one) =>
      eventOf(tools.owner, "email.bounced", one, { reason: `${one.report.class}_bounce` }),
    ),
  );
  return made;
}

async function carryOutHard(
  ctx: TxCtx,
  { storms }: Pick<ActingTools, "storms">,
  all: readonly MatchedCase[],
): Promise<[Case, Made][]> {
  const dismissed = await takeDismissed(
    ctx,
    all.map(({ mail }) => mail),
  );
  const cases = all.filter(({ mail }) => !dismissed.has(mail));
  const repeated = all.filter(({ mail }) => dismissed.has(mail));
  const held = await storms.holdStorms(
    ctx,
    cases.map(({ mail, item }) => ({ domain: mail.domain, sourceId: mail.sourceId, at: item.receivedAt })),
  );
  const acted = cases.filter(({ mail }) => !held.has(mail.domain));
  const wanted = new Map(
    acted.map(({ mail }) => [
      mail.personId,
      {
        contactId: mail.personId,
        reason: "hard_bounce" as const,
        source: "delivery",
        domain: mail.domain || null,
      },
    ]),
  );
  const written = await suppressContacts(ctx, inOrder([...wanted.values()]), { tellAll: true });
  const seen = new Set<string>();
  const known = repeated.map((one): [Case, Made] => [
    one,
    said("duplicate", "the same came back before, in a storm that somebody dismissed"),
  ]);
  const made = cases.map((one): [Case, Made] => {
    const { domain, personId } = one.mail;
    const stormId = held.get(domain);
    if (stormId) return [one, { ...said("held", HELD), stormId }];
    const isFirst = !seen.has(personId);
    seen.add(personId);
    if (written.has(personId) && isFirst) return [one, said("suppressed", "the address will never work")];
    return [one, said("counted", "the address was suppressed before")];
  });
  return [...known, ...made];
}

const PASSED_ON = "another address failed, to which this mail was passed on: it counts as a soft bounce";

async function carryOutSoft(ctx: TxCtx, cases: readonly MatchedCase[]): Promise<[Case, Made][]> {
  const suppressed = await noteSoftBounces(
    ctx,
    cases.map(({ mail, at }) => ({
      contactId: mail.personId,
      sourceId: mail.sourceId,
      messageId: mail.contactId,
      at,
    })),
  );
  return cases.map((one) => [
    one,
    suppressed.has(one.mail.personId)
      ? said("suppressed", "the address has bounced softly too often, for too long")
      : said("counted", one.mail.isPassedOn ? PASSED_ON : "a soft bounce by itself suppresses nobody"),
  ]);
}

/** Two transactions that suppress the same contacts must lock them in the same order. */
function inOrder<T extends { readonly contactId: string }>(wanted: readonly T[]): T[] {
  return wanted.toSorted((one, other) => (one.contactId < other.contactId ? -1 : 1));
}
