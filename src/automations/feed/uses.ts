/** Keeps what running versions name from being deleted: without a field a version can't be read, and would stop without a word. */
import { keepInUse, type UsedThing } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { listsIn, shareFields, shareLists, shareSegments } from "../../subscribers/subscribers.ts";
import type { Graph, Trigger } from "../graph-types.ts";
import { notReady } from "../problems.ts";
import { rulesOf } from "../steps/steps.ts";
import { triggersIn } from "./matching.ts";

const FIELD = /^field:([0-9a-f-]{36})$/;

/** The list of the automation itself isn't among these: it may go, with everybody on it. */
function thingsIn(graph: Graph): readonly UsedThing[] {
  const nodes = [...graph.nodes.values()];
  const segments = [
    ...triggersIn(graph).flatMap((one: Trigger) => ("segmentId" in one ? [one.segmentId] : [])),
    ...graph.exit.flatMap((one) => ("leavesSegment" in one ? [one.leavesSegment] : [])),
  ];
  const rules = [
    ...nodes.flatMap(rulesOf),
    ...graph.exit.flatMap((one) => ("rule" in one ? [one.rule] : [])),
    ...(graph.entry.filter ? [graph.entry.filter] : []),
  ];
  const lists = [
    ...nodes.flatMap((node) => (node.type === "list" ? [node.listId] : [])),
    ...rules.flatMap(listsIn),
  ];
  return [
    ...fieldsIn({ ...graph, nodes }).map((id) => ({ kind: "field", id }) as const),
    ...segments.map((id) => ({ kind: "segment", id }) as const),
    ...lists.map((id) => ({ kind: "list", id }) as const),
  ];
}

/** Rules, triggers, waits and steps all name a custom field as `field:<uuid>`. */
function fieldsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return FIELD.exec(value)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(fieldsIn) : [];
}

/** Is called in the transaction that makes these versions run. What was deleted a moment ago is no more to be had. */
export async function keepUses(
  { sql: tx, accountId }: TxCtx,
  owner: string,
  graphs: readonly Graph[],
  newest: Graph,
): Promise<void> {
  const wanted = thingsIn(newest);
  const idsOf = (kind: UsedThing["kind"]) => [
    ...new Set(wanted.flatMap((one) => (one.kind === kind ? [one.id] : []))),
  ];
  const [fields, segments, lists] = [idsOf("field"), idsOf("segment"), idsOf("list")];
  const held =
    (await shareFields(tx, accountId, fields)) +
    (await shareSegments(tx, accountId, segments)) +
    (await shareLists(tx, accountId, lists)).length;
  if (held < fields.length + segments.length + lists.length)
    throw notReady([
      { pointer: "/draft", code: "not_found", detail: "something that it names was deleted a moment ago" },
    ]);
  await keepInUse(tx, accountId, owner, graphs.flatMap(thingsIn));
}
