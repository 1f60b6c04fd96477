/** A segment is a named question about subscribers, which is asked anew each time. */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid, missing } from "../../platform/problems.ts";
import { allFields, type FieldRow } from "../fields/fields.ts";
import { listExists } from "../lists/lists.ts";
import { compileRule } from "./compile.ts";
import { isGroup, type Rule, readRules } from "./rules.ts";
import {
  countStatement,
  insertSegment,
  lockSegment,
  removeSegment,
  type SegmentRow,
  sampleMatching,
  updateSegmentRow,
} from "./segment-store.ts";

export type { Rule } from "./rules.ts";
export { findSegment } from "./segment-store.ts";

export type SegmentInput = { name?: string; list_id?: string | null; rules?: unknown };

export async function createSegment(ctx: TxCtx, input: SegmentInput & { name: string }): Promise<SegmentRow> {
  const read = await readSegment(ctx, input);
  const now = ctx.clock.now();
  const row: SegmentRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name: input.name,
    list_id: read.listId ?? null,
    rules: read.rule ?? { all: [] },
    created_at: now,
    updated_at: now,
  };
  await insertSegment(ctx.sql, row);
  return row;
}

export async function updateSegment(
  ctx: TxCtx,
  id: string,
  patch: SegmentInput,
  ifMatch: string | undefined,
): Promise<SegmentRow> {
  const row = await lockSegment(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("segment");
  requireMatch(ifMatch, segmentEtag(row));
  const read = await readSegment(ctx, patch);
  const changed = {
    ...row,
    name: patch.name ?? row.name,
    list_id: read.listId === undefined ? row.list_id : read.listId,
    rules: read.rule ?? row.rules,
    updated_at: ctx.clock.now(),
  };
  await updateSegmentRow(ctx.sql, changed);
  return changed;
}

export async function deleteSegment(ctx: TxCtx, id: string): Promise<void> {
  if ((await removeSegment(ctx.sql, ctx.accountId, id)) === 0) throw missing("segment");
}

export function segmentEtag(row: SegmentRow): string {
  return etagOf({ name: row.name, list_id: row.list_id, rules: row.rules });
}

/** Finds every fault of the list and the rules at once. What is undefined was not given. */
export async function readSegment(
  ctx: Ctx,
  input: SegmentInput,
): Promise<{ listId: string | null | undefined; rule: Rule | undefined; fields: readonly FieldRow[] }> {
  const fields = await allFields(ctx.sql, ctx.accountId);
  const read = input.rules === undefined ? undefined : readRules(input.rules, fields, "/rules");
  const listId = typeof input.list_id === "string" ? fromPublicId("lst", input.list_id) : input.list_id;
  const faults: Fault[] = read && "faults" in read ? [...read.faults] : [];
  const isUnknown =
    typeof input.list_id === "string" && !(listId && (await listExists(ctx.sql, ctx.accountId, listId)));
  if (isUnknown)
    faults.push({ pointer: "/list_id", code: "not_found", detail: "there is no such list in this account" });
  if (faults.length > 0) throw invalid(...faults);
  return { listId, rule: read && "rule" in read ? read.rule : undefined, fields };
}

export async function compileFor(ctx: Ctx, rule: Rule, fields: readonly FieldRow[]): Promise<Sql> {
  const { time_zone: timeZone } = await ctx.sql.one<{ time_zone: string }>(
    sql`select time_zone from accounts where account_id = ${ctx.accountId}`,
  );
  return compileRule(rule, { fields, now: ctx.clock.now(), timeZone });
}

const SAMPLE = 10;

export async function previewRule(
  ctx: Ctx,
  rule: Rule,
  listId: string | null,
  fields: readonly FieldRow[],
): Promise<{ count: number; sampleIds: string[] }> {
  const condition = await compileFor(ctx, rule, fields);
  const [{ count }, sampleIds] = await Promise.all([
    ctx.sql.one<{ count: number }>(countStatement(ctx.accountId, listId, condition)),
    sampleMatching(ctx.sql, ctx.accountId, listId, condition, SAMPLE),
  ]);
  return { count, sampleIds };
}

/** Shows a rule as a client writes it: custom fields by their present keys, lists by their public ids. */
export function showRule(rule: Rule, fields: readonly FieldRow[]): unknown {
  if (!isGroup(rule)) {
    const custom = fields.find((one) => `field:${one.id}` === rule.field);
    const field = rule.field.startsWith("field:") ? `fields.${custom?.key ?? "(deleted)"}` : rule.field;
    const value = rule.field === "list" ? toPublicId("lst", String(rule.value)) : rule.value;
    return { field, op: rule.op, ...(value !== undefined && { value }) };
  }
  if ("not" in rule) return { not: showRule(rule.not, fields) };
  if ("all" in rule) return { all: rule.all.map((one) => showRule(one, fields)) };
  return { any: rule.any.map((one) => showRule(one, fields)) };
}
