/**
 * Counts why mail of a source has not arrived, or not yet, with the servers' own words. Nothing is written for this while mail
 * is sent: who failed and who waits stands in tables of their own, whose rows are looked up in the ledger when somebody asks.
 */
import { readReply } from "../../mail/dsn/dsn.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { lookUpDomain } from "../../subscribers/subscribers.ts";
import { listSources } from "../ledger/ledger.ts";
import { createKeptCounts } from "./kept-counts.ts";

/** So many of those who failed and of those who wait are looked at; a count stays below a second or two, however many there are. */
export const MOST_ERRORS = 100_000;
/** So many kinds of replies are told apart, the most frequent ones; all others are counted by their codes. */
const MOST_KINDS = 2_000;
const MOST_DOMAINS_SHOWN = 10;
const MOST_REPLIES_SHOWN = 3;

/** Such a row was put off before its first attempt, because its domain is being sent to slowly: nothing has gone wrong with it. */
const NEVER_TRIED = "waiting_turn";

type Reply = { readonly code: number | null; readonly text: string | null; readonly count: number };

export type ErrorGroup = {
  readonly status: "deferred" | "failed" | "unknown";
  /** What the replies mean, in the words of docs/bounces.md, or of the ledger where no server said anything. */
  readonly reason: string;
  readonly bounce: "hard" | "soft" | "block" | null;
  readonly count: number;
  /** When the first of those who wait is tried again. */
  readonly nextTryAt: Date | null;
  /** `domain` is '' for recipients whose subscriber is gone, and for rare ones. */
  readonly domains: readonly { readonly domain: string; readonly count: number; readonly reply: Reply }[];
  readonly replies: readonly Reply[];
};

type Kind = {
  readonly status: ErrorGroup["status"];
  readonly why: string | null;
  readonly code: number | null;
  readonly domain: string;
  readonly count: number;
  readonly nextTryAt: Date | null;
  readonly sample: string | null;
};

type CountedErrors = { readonly asOf: Date; readonly groups: readonly ErrorGroup[] };

/** A process has one such reader, which caches the counts. The most frequent reason comes first. */
export function createErrorReader(): (ctx: Ctx, ownerId: string) => Promise<CountedErrors> {
  const count = createKeptCounts(async ({ sql: db, accountId, clock }: Ctx, sourceId) => {
    const asOf = clock.now();
    return { asOf, kinds: await countKinds(db, accountId, sourceId) };
  });
  return async (ctx, ownerId) => {
    const ids = await listSources(ctx.sql, ctx.accountId, ownerId);
    const counted = await Promise.all(ids.map((id) => count(ctx, id)));
    const asOf = new Date(Math.min(ctx.clock.now().getTime(), ...counted.map((one) => one.asOf.getTime())));
    return { asOf, groups: groupKinds(counted.flatMap(({ kinds }) => kinds)) };
  };
}

/**
 * The primary keys of delivery_errors and retries name the contacts, and that of the ledger has the reply. `limit 1` and
 * `offset 0` keep the planner at the keys, as it has no statistics of a new ledger. Words with a digit or an @ differ from
 * recipient to recipient, so replies are told apart by the others and by the status alone.
 */
function countKinds(db: Queryable, accountId: string, sourceId: string): Promise<Kind[]> {
  const ofSource = sql`account_id = ${accountId} and source_id = ${sourceId}`;
  return db.many<Kind>(sql`
    with contacts as materialized (
      (select contact_id, null::timestamptz as due_at from delivery_errors
       where ${ofSource} and state in ('failed', 'unknown') limit ${MOST_ERRORS})
      union all
      (select contact_id, due_at from retries where ${ofSource} limit ${MOST_ERRORS})
    ), tallied as materialized (
      select d.state as status, case when d.state = 'deferred' and d.attempt = 0 then ${NEVER_TRIED} else d.why end as why,
             d.code, substring(d.reply from '\\m[245]\\.\\d{1,3}\\.\\d{1,3}\\M') as enhanced,
             regexp_replace(left(d.reply, 200), '\\S*[@0-9]\\S*', '', 'g') as words, coalesce(p.domain, '') as domain,
             count(*) as count, min(c.due_at) as next, min(d.reply) as sample
      from contacts c
      cross join lateral (
        select state, why, attempt, code, reply, subscriber_id from deliveries own
        where own.account_id = ${accountId} and own.source_id = ${sourceId} and own.contact_id = c.contact_id limit 1) as d
      left join lateral ${lookUpDomain(accountId, sql`d.subscriber_id`)} as p on true
      where d.state in ('failed', 'unknown', 'deferred')
      group by 1, 2, 3, 4, 5, 6
    ), placed as (
      select *, row_number() over (order by count desc, domain, words) <= ${MOST_KINDS}::int as is_shown from tallied
    )
    select status, why, code, case when is_shown then domain else '' end as domain, sum(count)::bigint as count,
           min(next) as "nextTryAt", min(sample) as sample
    from placed
    group by 1, 2, 3, 4, case when is_shown then enhanced end, case when is_shown then words end`);
}

/** Puts kinds of one meaning together. It reads some thousand replies at most. */
export function groupKinds(kinds: readonly Kind[]): ErrorGroup[] {
  const groups = Map.groupBy(kinds, (kind) => `${kind.status} ${reasonOf(kind)} ${bounceOf(kind)}`);
  return [...groups.values()].map(groupOf).sort((one, other) => other.count - one.count);
}

function groupOf(kinds: readonly Kind[]): ErrorGroup {
  const largestFirst = kinds.toSorted((one, other) => other.count - one.count);
  const [first] = largestFirst as [Kind];
  const next = kinds.flatMap(({ nextTryAt }) => nextTryAt?.getTime() ?? []);
  const domains = [...Map.groupBy(largestFirst, ({ domain }) => domain)].map(([domain, own]) => ({
    domain,
    count: sumOf(own),
    reply: replyOf(own),
  }));
  return {
    status: first.status,
    reason: reasonOf(first),
    bounce: bounceOf(first),
    count: sumOf(kinds),
    nextTryAt: next.length > 0 ? new Date(Math.min(...next)) : null,
    domains: domains.sort((one, other) => other.count - one.count).slice(0, MOST_DOMAINS_SHOWN),
    replies: [...Map.groupBy(largestFirst, wordsOf).values()]
      .map(replyOf)
      .sort((one, other) => other.count - one.count)
      .slice(0, MOST_REPLIES_SHOWN),
  };
}

const sumOf = (kinds: readonly Kind[]) => kinds.reduce((sum, { count }) => sum + count, 0);
const wordsOf = ({ code, sample }: Kind) => `${code} ${(sample ?? "").replaceAll(/\S*[@0-9]\S*/g, "")}`;

function replyOf(kinds: readonly Kind[]): Reply {
  const [first] = kinds as readonly [Kind];
  return { code: first.code, text: first.sample, count: sumOf(kinds) };
}

function bounceOf({ why }: Kind): ErrorGroup["bounce"] {
  if (why === "hard_bounce") return "hard";
  if (why === "soft_bounce" || why === "expired") return "soft";
  return why === "block_bounce" ? "block" : null;
}

/** What ended without a reply is named as the ledger names it; what a server said is read as when it said it. */
function reasonOf({ status, why, code, sample }: Kind): string {
  if (why === "expired" || why === "unrenderable" || why === "ambiguous" || why === NEVER_TRIED) return why;
  if (code === null) return "network_error";
  const { reason } = readReply({ stage: "rcpt", code, status: null, text: sample ?? "" });
  return status === "deferred" && SAYS_LATER.has(reason) ? laterReason(code, sample ?? "") : reason;
}

/** To a server that refuses for now these say nothing, or that it is late already. */
const SAYS_LATER: ReadonlySet<string> = new Set(["expired", "unclear", "unstated", "system_error"]);

/** 421 and X.7.X are about who sends and how fast (RFC 5321 §3.8, RFC 3463 §3.8), anything else is any reason to try later. */
function laterReason(code: number, text: string): string {
  return code === 421 || /\b4\.7\.\d{1,3}\b/.test(text) ? "rate_limited" : "try_later";
}
