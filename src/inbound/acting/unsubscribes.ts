/** What follows from a mail to an unsubscribe address: the same as from one click. */
import type { TxCtx } from "../../platform/context.ts";
import { unsubscribeWithin } from "../../tracking/tracking.ts";
import { type Case, type Made, said } from "./rules.ts";
import type { ActingTools } from "./tools.ts";

/** Items are read one by one, and people write to such an address one at a time. */
export async function carryOutUnsubscribes(
  ctx: TxCtx,
  { owner }: Pick<ActingTools, "owner">,
  cases: readonly Case[],
): Promise<ReadonlyMap<Case, Made>> {
  const made = new Map<Case, Made>();
  for (const one of cases) {
    const { mail, report, at } = one;
    if (report.kind !== "unsubscribe" || !mail) continue;
    if (mail.isOfWave) {
      made.set(one, said("ignored", "a transactional mail belongs to no list that could be left"));
      continue;
    }
    const target = { accountId: ctx.accountId, sourceId: mail.sourceId, contactId: mail.contactId };
    const left = await unsubscribeWithin(ctx, owner.idsInEvents, target, at);
    made.set(one, WORDS[left]);
  }
  return made;
}

const WORDS: Readonly<Record<"left" | "already" | "nobody", Made>> = {
  left: said("unsubscribed", "the person asked for it by mail"),
  already: said("duplicate", "the person had left before"),
  nobody: said("ignored", "there is nobody behind this address any more"),
};
