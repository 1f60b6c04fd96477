import type { TxCtx } from "../../platform/context.ts";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import type { HashAddress } from "../contact-store.ts";
import { allFields } from "../fields/fields.ts";
import { shareLists } from "../lists/lists.ts";
import { existsAlready, failedItem, limitReached } from "../problems.ts";
import { type BatchItem, SubscriberCreate } from "../schema.ts";
import { tooManyTags } from "../tags/tags.ts";
import { type Added, addSubscribers } from "./add.ts";
import { addressFaultsIn, type Candidate, readCandidate, unknownList } from "./input.ts";

const checkShape = createValidation().body(SubscriberCreate);
const checkAddress = addressFaultsIn("email");

/** Returns one answer for each item, in order; one that is wrong stops no other. */
export async function addBatch(
  ctx: TxCtx,
  hash: HashAddress,
  items: readonly unknown[],
  onConflict: "update" | "skip" | undefined,
): Promise<BatchItem[]> {
  const fields = await allFields(ctx.sql, ctx.accountId);
  const isMissing = await findMissingLists(ctx, items);
  const results: BatchItem[] = [];
  const good: { index: number; candidate: Candidate }[] = [];
  items.forEach((item, index) => {
    const misshapen = checkShape(item);
    const faults = misshapen.length > 0 ? [...misshapen, ...checkAddress(item)] : misshapen;
    const read = faults.length > 0 ? { faults } : readCandidate(item as SubscriberCreate, fields);
    if ("candidate" in read) good.push({ index, candidate: read.candidate });
    else results[index] = failedItem(invalid(...read.faults, ...(isMissing(item) ? [unknownList] : [])));
  });
  const added = await addSubscribers(
    ctx,
    hash,
    good.map(({ candidate }) => candidate),
    onConflict ?? "refuse",
  );
  added.forEach((one, position) => {
    results[good[position]?.index ?? -1] = resultOf(one);
  });
  return results;
}

/** This is looked up beforehand, so that an item with other faults is told of this one at once. */
async function findMissingLists(ctx: TxCtx, items: readonly unknown[]): Promise<(item: unknown) => boolean> {
  const wanted = new Set(items.map(listIdOf).filter((id) => id !== undefined));
  const lists = await shareLists(ctx.sql, ctx.accountId, [...wanted]);
  for (const list of lists) wanted.delete(list.id);
  return (item) => wanted.has(listIdOf(item) ?? "");
}

function listIdOf(item: unknown): string | undefined {
  const given = (item as { list_id?: unknown } | null)?.list_id;
  return typeof given === "string" ? fromPublicId("lst", given) : undefined;
}

function resultOf(added: Added): BatchItem {
  if (added.kind === "no_list") return failedItem(invalid(unknownList));
  if (added.kind === "too_many_tags") return failedItem(invalid(tooManyTags("/tags")));
  if (added.kind === "no_room") return failedItem(limitReached(added.room));
  if (added.kind === "exists") return failedItem(existsAlready(added));
  return {
    status: added.kind === "created" ? 201 : 200,
    subscriber: { id: toPublicId("sub", added.id), status: added.status },
  };
}
