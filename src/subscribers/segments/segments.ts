/** A segment is a named question about subscribers, which is asked anew each time. */
import { refuseInUse, type Unsigned } from "../../accounts/accounts.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid, missing } from "../../platform/problems.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields, type FieldRow } from "../fields/fields.ts";
import { listExists } from "../lists/lists.ts";
import { type CompileOptions, compileRule } from "./compile.ts";
import { type Mention, showEngagement } from "./engagement-rules.ts";
import { isEngagement, isEvent, isGroup, type Rule, readRules } from "./rules.ts";
import {
  insertSegment,
  lockSegment,
  removeSegment,
  type SegmentRow,
  updateSegmentRow,
} from "./segment-store.ts";
import { findSources } from "./sent-sources.ts";

export { type CompileOptions, compileRule } from "./compile.ts";
export type { Mention as RuleMention } from "./engagement-rules.ts";
export { isRelative } from "./relative.ts";
export { listsIn, type Rule, readRules } from "./rules.ts";
export { findSegment, findSegmentIds, shareSegments } from "./segment-store.ts";

export type SegmentInput = { name?: string; list_id?: string | null; rules?: unknown };

export async function createSegment(
  ctx: TxCtx,
  input: SegmentInput & { name: string },
  sent: SentCampaigns,
): Promise<SegmentRow> {
  const read = await readSegment(ctx, input, sent);
  const now = ctx.clock.now();
  const row: Unsigned<SegmentRow> = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name: input.name,
    list_id: read.listId ?? null,
    rules: read.rule ?? { all: [] },
    created_at: now,
    updated_at: now,
  };
  return insertSegment(ctx.sql, row, ctx.actor);
}

export async function updateSegment(
  ctx: TxCtx,
  id: string,
  patch: SegmentInput,
  ifMatch: string | undefined,
  sent: SentCampaigns,
): Promise<SegmentRow> {
  const row = await lockSegment(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("segment");
  requireMatch(ifMatch, segmentEtag(row));
  const read = await readSegment(ctx, patch, sent);
  const changed = {
    ...row,
    name: patch.name ?? row.name,
    list_id: read.listId === undefined ? row.list_id : read.listId,
    rules: read.rule ?? row.rules,
    updated_at: ctx.clock.now(),
  };
  if (segmentEtag(changed) === segmentEtag(row)) return row;
  return updateSegmentRow(ctx.sql, changed, ctx.actor);
}

export async function deleteSegment(ctx: TxCtx, id: string): Promise<void> {
  if (!(await lockSegment(ctx.sql, ctx.accountId, id))) throw missing("segment");
  await refuseInUse(ctx.sql, ctx.accountId, { kind: "segment", id });
  await removeSegment(ctx.sql, ctx.accountId, id);
}

export function segmentEtag(row: SegmentRow): string {
  return etagOf({ name: row.name, list_id: row.list_id, rules: row.rules });
}

/** Finds every fault of the list and the rules at once. What is undefined was not given. */
export async function readSegment(
  ctx: Ctx,
  input: SegmentInput,
  sent: SentCampaigns,
): Promise<{ listId: string | null | undefined; rule: Rule | undefined; fields: readonly FieldRow[] }> {
  const fields = await allFields(ctx.sql, ctx.accountId);
  const read = input.rules === undefined ? undefined : readRules(input.rules, fields, "/rules");
  const listId = typeof input.list_id === "string" ? fromPublicId("lst", input.list_id) : input.list_id;
  const faults: Fault[] = read && "faults" in read ? [...read.faults] : [];
  if (read && "mentions" in read) faults.push(...(await unknownCampaigns(ctx, read.mentions, sent)));
  const isUnknown =
    typeof input.list_id === "string" && !(listId && (await listExists(ctx.sql, ctx.accountId, listId)));
  if (isUnknown)
    faults.push({ pointer: "/list_id", code: "not_found", detail: "there is no such list in this account" });
  if (faults.length > 0) throw invalid(...faults);
  return { listId, rule: read && "rule" in read ? read.rule : undefined, fields };
}

/** Names the campaigns that aren't the account's, and the links that a campaign's mail doesn't have. */
export async function unknownCampaigns(
  { sql, accountId }: Ctx,
  mentions: readonly Mention[],
  sent: SentCampaigns,
): Promise<Fault[]> {
  const ids = [...new Set(mentions.map(({ campaignId }) => campaignId))];
  const names = ids.length > 0 ? await sent.findNames(sql, accountId, ids) : new Map();
  const withLinks = new Set(mentions.flatMap(({ campaignId, url }) => (url === null ? [] : [campaignId])));
  const links = new Map<string, ReadonlySet<string> | undefined>();
  for (const id of withLinks) links.set(id, await sent.findLinks(sql, accountId, id));
  return mentions.flatMap(({ campaignId, url, pointer }) => {
    if (!names.has(campaignId)) {
      const at = url === null ? pointer : `${pointer}/campaign_id`;
      return [{ pointer: at, code: "not_found", detail: "there is no such campaign in this account" }];
    }
    // A campaign that was never launched may still get the link.
    const isUnknown = url !== null && links.get(campaignId)?.has(url) === false;
    const detail = "the campaign's mail has no such link";
    return isUnknown ? [{ pointer: `${pointer}/url`, code: "not_found", detail }] : [];
  });
}

/** Whom a rule is compiled for: those of a list, or with null of any. */
export type CompileFor = {
  readonly fields: readonly FieldRow[];
  readonly sent: SentCampaigns;
  readonly listId: string | null;
};

export async function compileFor(ctx: Ctx, rule: Rule, of: CompileFor): Promise<Sql> {
  return compileRule(rule, await findCompileOptions(ctx, rule, of));
}

/** Reads what a rule, and each part of it, is compiled with. */
export async function findCompileOptions(
  ctx: Ctx,
  rule: Rule,
  { fields, sent, listId }: CompileFor,
): Promise<CompileOptions> {
  const { time_zone: timeZone } = await ctx.sql.one<{ time_zone: string }>(
    sql`select time_zone from accounts where account_id = ${ctx.accountId}`,
  );
  const known = await findSources(ctx, sent, rule, listId);
  return { fields, now: ctx.clock.now(), timeZone, known };
}

/** Shows a rule as a client writes it: custom fields by their present keys, lists and campaigns by their public ids. */
export function showRule(rule: Rule, fields: readonly FieldRow[]): unknown {
  if (!isGroup(rule)) {
    if (isEngagement(rule)) return showEngagement(rule);
    if (isEvent(rule)) return rule;
    const custom = fields.find((one) => `field:${one.id}` === rule.field);
    const field = rule.field.startsWith("field:") ? `fields.${custom?.key ?? "(deleted)"}` : rule.field;
    const value = rule.field === "list" ? toPublicId("lst", String(rule.value)) : rule.value;
    return { field, op: rule.op, ...(value !== undefined && { value }) };
  }
  if ("not" in rule) return { not: showRule(rule.not, fields) };
  if ("all" in rule) return { all: rule.all.map((one) => showRule(one, fields)) };
  return { any: rule.any.map((one) => showRule(one, fields)) };
}
