/** These statements of a launch insert a source or run it again, and compare it with the owner's former source. */
import { needsReview } from "../../accounts/accounts.ts";
import { type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import type { SourceState } from "../ledger/ledger.ts";
import type { OnAmbiguous, Stream } from "../types.ts";

export type LaunchRow = {
  account_id: string;
  id: string;
  owner_id: string;
  stream: Stream;
  transport_id: string;
  revision_id: string;
  list_id: string | null;
  segment_id: string | null;
  segment_rules: unknown;
  topic_id: string | null;
  is_given: boolean;
  step?: string | null;
  on_ambiguous: OnAmbiguous;
  launched_at: Date;
};

/** Returns false when a source with this id, or a running one of this owner, exists already. */
export async function insertSource(tx: Tx, row: LaunchRow): Promise<boolean> {
  const launched = await tx.execute(sql`
    insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, list_id, segment_id,
                         segment_rules, topic_id, is_given, step, on_ambiguous, launched_at, review)
    values (${row.account_id}, ${row.id}, ${row.owner_id}, ${row.stream}, ${row.transport_id}, 'running',
            ${row.revision_id}, ${row.list_id}, ${row.segment_id}, ${jsonOrNull(row.segment_rules)}::jsonb,
            ${row.topic_id}, ${row.is_given}, ${row.step ?? null}, ${row.on_ambiguous}, ${row.launched_at},
            ${reviewOf(row)})
    on conflict do nothing`);
  return launched === 1;
}

/** Lets a source run again with its ledger, its revision and its audience. The caller has locked the source. */
export async function relaunchSource(
  tx: Tx,
  row: Pick<
    LaunchRow,
    "account_id" | "id" | "stream" | "is_given" | "transport_id" | "on_ambiguous" | "launched_at"
  >,
): Promise<void> {
  await tx.execute(sql`
    update sources set state = 'running', reason = null, launch = launch + 1, transport_id = ${row.transport_id}, refused_by = '{}',
      on_ambiguous = ${row.on_ambiguous}, review = ${reviewOf(row)},
      launched_at = ${row.launched_at}, ended_at = null
    where account_id = ${row.account_id} and id = ${row.id}`);
}

/** A campaign of a new account is seen by no sender until it is known to how many it goes. What stays in the sandbox needs no look. */
function reviewOf(row: Pick<LaunchRow, "account_id" | "stream" | "is_given" | "transport_id">): Sql {
  const isReviewed = row.stream === "campaign" && !row.is_given && row.transport_id !== SANDBOX_TRANSPORT;
  return isReviewed ? sql`case when ${needsReview(sql`${row.account_id}::uuid`)} then 'due' end` : sql`null`;
}

/** An owner's former source, compared with what is to be launched now. */
export type FormerSource = {
  id: string;
  state: SourceState;
  /** Whether nobody in its ledger could be mailed when it was planned. */
  hadNobody: boolean;
  /** Whether the same list, segment and topic are chosen, though the segment's rules may have changed since. */
  isSameChoice: boolean;
  isSameAudience: boolean;
  isSameRevision: boolean;
  segmentId: string | null;
  segmentRules: unknown;
};

/** Locks the owner's former source and compares it with what is to be launched now. */
export function lockFormerSource(
  tx: Tx,
  accountId: string,
  ownerId: string,
  now: Pick<LaunchRow, "list_id" | "segment_id" | "segment_rules" | "topic_id" | "revision_id">,
): Promise<FormerSource | undefined> {
  const rules = sql`${jsonOrNull(now.segment_rules)}::jsonb`;
  const isSameTopic = sql`src.topic_id is not distinct from ${now.topic_id}::uuid`;
  return tx.maybeOne<FormerSource>(sql`
    select src.id, src.state, src.segment_id as "segmentId", src.segment_rules as "segmentRules",
      src.revision_id = ${now.revision_id} as "isSameRevision",
      coalesce((select p.recipients > 0 and p.eligible = 0 and p.ended_at is not null from plans p
                where p.account_id = src.account_id and p.source_id = src.id), false) as "hadNobody",
      src.list_id = ${now.list_id} and ${isSameTopic} and (src.segment_rules is null) = (${rules} is null)
        and (src.segment_id is null or src.segment_id = ${now.segment_id}::uuid) as "isSameChoice",
      src.list_id = ${now.list_id} and ${isSameTopic} and src.segment_rules is not distinct from ${rules} as "isSameAudience"
    from sources src where account_id = ${accountId} and owner_id = ${ownerId} and not is_given
      and state not in ('replaced', 'superseded')
    order by id desc limit 1 for no key update of src`);
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Moves the batches of an earlier launch to the source's present transport, because the former one may be gone. Their counts
 * of dead senders start again, because what made senders die may have been repaired.
 */
export async function moveBatches(
  tx: Tx,
  accountId: string,
  sourceId: string,
  transportId: string,
): Promise<void> {
  await tx.execute(sql`
    update batches set transport_id = ${transportId}, deaths = 0, composing = null, suspect = null, suspect_deaths = 0
    where account_id = ${accountId} and source_id = ${sourceId} and (transport_id <> ${transportId} or deaths > 0)`);
}
