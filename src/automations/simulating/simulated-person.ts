/** A person of the database, or a made-up one, who is asked and changed for a simulation. The caller rolls all of it back. */
import { randomUUID } from "node:crypto";
import type { TxCtx } from "../../platform/context.ts";
import { join, type Sql, sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { invalid, missing } from "../../platform/problems.ts";
import {
  allFields,
  changeTags,
  compileRules,
  createSubscriber,
  type FieldRow,
  type HashAddress,
  type Rule,
  readCandidate,
  readSegmentRules,
  type SentCampaigns,
  updateSubscriber,
} from "../../subscribers/subscribers.ts";
import type { Node } from "../graph-types.ts";
import { dateFieldOf, rulesOf, shareOf } from "../steps/steps.ts";
import type { World } from "./interpret.ts";

export type Tools = { readonly sent: SentCampaigns; readonly hash: HashAddress };
export type AutomationOf = { readonly id: string; readonly listId: string };

/** Adds a made-up person to the list, as one who has confirmed, and returns their id. */
export async function addMadeUp(
  ctx: TxCtx,
  { hash }: Tools,
  listId: string,
  person: Readonly<Record<string, unknown>>,
): Promise<string> {
  const input = {
    ...person,
    email: `${randomUUID()}@simulation.invalid`,
    list_id: toPublicId("lst", listId),
  };
  const read = readCandidate(input, await allFields(ctx.sql, ctx.accountId));
  if ("faults" in read)
    throw invalid(...read.faults.map((fault) => ({ ...fault, pointer: `/person${fault.pointer ?? ""}` })));
  const { id } = await createSubscriber(ctx, hash, read.candidate, "refuse");
  await ctx.sql.execute(sql`
    update subscribers set status = 'active' where account_id = ${ctx.accountId} and id = ${id}`);
  return id;
}

export async function openWorld(
  ctx: TxCtx,
  { sent, hash }: Tools,
  { id: automationId, listId }: AutomationOf,
  subscriberId: string,
): Promise<World> {
  const { sql: tx, accountId } = ctx;
  const fields = await allFields(tx, accountId);
  const found = await tx.maybeOne(sql`
    select 1 from subscribers where account_id = ${accountId} and id = ${subscriberId} and list_id = ${listId}`);
  if (!found) throw missing("subscriber");
  const compile = (rule: Rule, at: Date) => compileRules(ctx, rule, { listId, at, sent });
  const ask = (conditions: readonly Sql[], date: Sql) =>
    tx.one<{ zone: string; matches: boolean[]; date: string | null }>(sql`
      select coalesce(s.time_zone, a.time_zone) as zone, array[${conditions.length > 0 ? join([...conditions], ", ") : sql``}]::boolean[] as matches, ${date} as date
      from subscribers s join accounts a on a.account_id = s.account_id
      where s.account_id = ${accountId} and s.id = ${subscriberId}`);
  const matches = async (rule: Rule, now: Date) =>
    (await ask([await compile(rule, now)], sql`null`)).matches[0] === true;
  return {
    matches,
    async facts(name, node, now) {
      const conditions: Sql[] = [];
      for (const rule of rulesOf(node)) conditions.push(await compile(rule, now));
      const share = shareOf(automationId, name, subscriberId);
      return { ...(await ask(conditions, dateOf(node, fields))), share };
    },
    async isInSegment(segmentId, now) {
      const rule = await readSegmentRules(tx, accountId, segmentId, listId);
      return rule !== undefined && matches(rule, now);
    },
    async apply(node, now) {
      const then: TxCtx = { ...ctx, clock: { ...ctx.clock, now: () => now } };
      if (node.type === "tag") await changeTags(then, subscriberId, node);
      if (node.type === "field")
        await updateSubscriber(then, hash, subscriberId, patchOf(node, fields), undefined);
    },
  };
}

function dateOf(node: Node, fields: readonly FieldRow[]): Sql {
  const name = dateFieldOf(node);
  const field = fields.find(({ id }) => `field:${id}` === name);
  return field ? sql`s.fields ->> ${String(field.slot)}` : sql`null::text`;
}

function patchOf({ field: name, value }: Extract<Node, { type: "field" }>, fields: readonly FieldRow[]) {
  const custom = fields.find(({ id }) => `field:${id}` === name);
  return custom ? { fields: { [custom.key]: value } } : { [name]: value };
}
