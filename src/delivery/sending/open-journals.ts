/** A sender has one journal for each source, however many batches are under way, so that it writes larger groups at once. */
import type { GuardrailWatch } from "../guardrails/guardrails.ts";
import { type Holder, type Journal, type JournalOptions, openJournal } from "../ledger/ledger.ts";
import { settleByEvidence } from "../reports/reports.ts";
import type { SourceOwner } from "../types.ts";
import type { OpenSource } from "./source-composer.ts";

const MOST_KEPT = 100;

type OpenJournal = { readonly journal: Journal; keepsSent: boolean };

export function createJournals(
  options: JournalOptions & {
    readonly owner: Pick<SourceOwner, "idsInEvents">;
    readonly guardrails: Pick<GuardrailWatch, "afterOutcomes">;
  },
  holder: Holder,
): (accountId: string, source: OpenSource) => Journal {
  const kept = new Map<string, OpenJournal>();

  function open(accountId: string, source: OpenSource): OpenJournal {
    const { id: sourceId, stream, owner_id: ownerId } = source;
    const name = { stream, ownerId };
    const idsOf =
      stream === "transactional"
        ? (contactId: string) => options.owner.idsInEvents(name, contactId)
        : options.owner.idsInEvents(name);
    const keepsSent = () => made.keepsSent;
    const afterOutcomes = (hasHardBounce: boolean) =>
      options.guardrails.afterOutcomes(accountId, sourceId, hasHardBounce);
    const made: OpenJournal = {
      journal: openJournal(options, holder, {
        accountId,
        sourceId,
        idsOf,
        keepsSent,
        settleByEvidence,
        afterOutcomes,
      }),
      keepsSent: false,
    };
    if (kept.size >= MOST_KEPT) forgetIdle();
    kept.set(sourceId, made);
    return made;
  }

  /** Keeps every journal with messages under way, because nothing else knows which messages those are. */
  function forgetIdle(): void {
    for (const [sourceId, { journal }] of kept) if (journal.isIdle()) kept.delete(sourceId);
  }

  return (accountId, source) => {
    const one = kept.get(source.id) ?? open(accountId, source);
    one.keepsSent = source.keepsSent;
    return one.journal;
  };
}
