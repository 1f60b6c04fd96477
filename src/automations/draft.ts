/** Reads a draft: its graph, the faults of it, and what it names that the account does not have. */
import { findUserIds } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import type { Fault } from "../platform/problems.ts";
import {
  allFields,
  findListIds,
  findSegmentIds,
  findTopicIds,
  type SentCampaigns,
  unknownCampaigns,
} from "../subscribers/subscribers.ts";
import { findTemplateIds } from "../templates/templates.ts";
import { type Mention, readGraph, unknownThing } from "./graph/graph.ts";
import type { Graph } from "./graph-types.ts";

/** Reads a draft. There is a graph only where there are no faults. One statement is made for each kind of thing that it names. */
export async function readDraft(
  ctx: Ctx,
  draft: unknown,
  sent: SentCampaigns,
): Promise<{ graph: Graph | undefined; faults: readonly Fault[] }> {
  const fields = await allFields(ctx.sql, ctx.accountId);
  const { graph, faults, mentions, ruleMentions } = readGraph(draft, fields, "/draft");
  const found = [...faults];
  for (const [kind, some] of Map.groupBy(mentions, (one) => one.kind)) {
    const known = await findKnown(ctx, kind, [...new Set(some.map(({ id }) => id))], sent);
    found.push(...some.filter(({ id }) => !known.has(id)).map((one) => unknownThing(kind, one.pointer)));
  }
  found.push(...(await unknownCampaigns(ctx, ruleMentions, sent)));
  return { graph: found.length === 0 ? graph : undefined, faults: found };
}

async function findKnown(
  { sql, accountId }: Ctx,
  kind: Mention["kind"],
  ids: readonly string[],
  sent: SentCampaigns,
): Promise<{ has(id: string): boolean }> {
  switch (kind) {
    case "list":
      return findListIds(sql, accountId, ids);
    case "segment":
      return findSegmentIds(sql, accountId, ids);
    case "topic":
      return findTopicIds(sql, accountId, ids);
    case "template":
      return findTemplateIds(sql, accountId, ids);
    case "user":
      return findUserIds(sql, accountId, ids);
    case "campaign":
      return sent.findNames(sql, accountId, ids);
  }
}
