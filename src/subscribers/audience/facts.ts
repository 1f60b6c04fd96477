/** What automations ask of people on a list: whether they match rules at a moment, what day a field of theirs holds, and their clock. */
import type { Ctx } from "../../platform/context.ts";
import { join, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { whyNotMailable } from "../mailable.ts";
import { type CompileOptions, compileRule, findCompileOptions, type Rule } from "../segments/segments.ts";

type PersonFacts = {
  /** The person's own time zone, or else the account's. */
  readonly zone: string;
  /** Whether the person matches each of the rules, in their order. */
  readonly matches: readonly boolean[];
  readonly date: string | null;
  /** Why the person may not be mailed: `suppressed_<reason>`, a status other than active, `opted_out`, `paused` or `dormant`; null where they may. */
  readonly why: string | null;
  /** When they came to the list. */
  readonly createdAt: Date;
};

export type FactReader = {
  /** `dateField` is `field:<uuid>` of a custom field. Whoever isn't on the list is missing from the answer. */
  read(
    subscriberIds: readonly string[],
    rules: readonly Rule[],
    dateField: string | undefined,
    at: Date,
  ): Promise<ReadonlyMap<string, PersonFacts>>;
};

/** What rules are compiled with is read once for each of them, however often it is asked. */
export async function createFactReader(ctx: Ctx, listId: string, sent: SentCampaigns): Promise<FactReader> {
  const { sql: db, accountId } = ctx;
  const fields = await allFields(db, accountId);
  const kept = new Map<Rule, CompileOptions>();
  async function compile(rule: Rule, at: Date): Promise<Sql> {
    const options = kept.get(rule) ?? (await findCompileOptions(ctx, rule, { fields, sent, listId }));
    kept.set(rule, options);
    return compileRule(rule, { ...options, now: at });
  }
  return {
    async read(subscriberIds, rules, dateField, at) {
      const conditions: Sql[] = [];
      for (const rule of rules) conditions.push(await compile(rule, at));
      const field = fields.find(({ id }) => `field:${id}` === dateField);
      const date = field ? sql`s.fields ->> ${String(field.slot)}` : sql`null::text`;
      const rows = await db.many<PersonFacts & { id: string }>(sql`
        select s.id, coalesce(s.time_zone, a.time_zone) as zone, ${date} as date, ${whyNotMailable} as why, s.created_at as "createdAt",
               array[${conditions.length > 0 ? join(conditions, ", ") : sql``}]::boolean[] as matches
        from subscribers s join accounts a on a.account_id = s.account_id
        where s.account_id = ${accountId} and s.list_id = ${listId} and s.id = any(${[...subscriberIds]}::uuid[])`);
      return new Map(rows.map(({ id, ...facts }) => [id, facts]));
    },
  };
}

/** Holds those who are there until the commit, in the order in which everybody locks several, and returns their ids. */
export async function holdPresent(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from subscribers where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
    order by contact_id, list_id for key share`);
  return new Set(rows.map(({ id }) => id));
}

/** Takes a made-up person for one who has confirmed. The caller rolls it back. */
export async function pretendConfirmed(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update subscribers set status = 'active' where account_id = ${accountId} and id = ${id}`);
}
