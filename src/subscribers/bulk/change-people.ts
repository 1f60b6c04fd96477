/** Does to several subscribers what a step of an automation says, by the same few statements as a bulk change. */
import type { TxCtx } from "../../platform/context.ts";
import { readPlainFromFile } from "../changes/changes.ts";
import { PLAIN_NAMES, type PlainName, type SubscriberRow } from "../columns.ts";
import { unsubscribeMany } from "../consent/consent.ts";
import type { HashAddress } from "../contact-store.ts";
import { ensureTags, findTags, tagKey } from "../tags/tags.ts";
import { findByContact, lockByContact, lockSubscribers } from "../write-store.ts";
import type { FieldValue, StoredAction } from "./action.ts";
import { copyToList, setField, tagRows, untagRows } from "./apply.ts";
import { ChangeFault } from "./change-fault.ts";

export type PeopleChange =
  /** A tag in both lists is added. */
  | { readonly type: "tag"; readonly add: readonly string[]; readonly remove: readonly string[] }
  /** The name of a built-in field, or `field:<uuid>` of a custom one. */
  | { readonly type: "field"; readonly field: string; readonly value: FieldValue }
  | {
      readonly type: "list";
      readonly action: "add" | "copy" | "move" | "remove";
      readonly listId: string;
    }
  | { readonly type: "unsubscribe" };

const CUSTOM = "field:";

/**
 * What can't be done is left out, because nobody is there to be told: a field or a list that is gone, a person who has as many tags as they may.
 * Nobody is revived: who has left a list is never added to it again, and a list with double opt-in asks first. `source` is kept as the origin.
 * Returns whose tags or field are otherwise now than before.
 */
export async function changePeople(
  ctx: TxCtx,
  hash: HashAddress,
  change: PeopleChange,
  subscriberIds: readonly string[],
  source: string,
): Promise<ReadonlySet<string>> {
  const rows = await lockSubscribers(ctx.sql, ctx.accountId, subscriberIds);
  if (rows.length === 0) return new Set();
  try {
    return new Set(await changeRows(ctx, hash, change, rows, source));
  } catch (error) {
    if (!(error instanceof ChangeFault)) throw error;
    return new Set();
  }
}

async function changeRows(
  ctx: TxCtx,
  hash: HashAddress,
  change: PeopleChange,
  rows: readonly SubscriberRow[],
  source: string,
): Promise<readonly string[]> {
  switch (change.type) {
    case "tag":
      return changeTagsOf(ctx, change, rows);
    case "field": {
      const action = readFieldAction(change);
      return action ? [...(await setField(ctx, action, rows)).changed.keys()] : [];
    }
    case "unsubscribe":
      await unsubscribeMany(ctx, rows, source);
      return [];
    case "list":
      await changeLists(ctx, hash, change, rows, source);
      return [];
  }
}

async function changeTagsOf(
  ctx: TxCtx,
  { add, remove }: Extract<PeopleChange, { type: "tag" }>,
  rows: readonly SubscriberRow[],
): Promise<readonly string[]> {
  const wanted = [...new Set((await ensureTags(ctx, add)).values())];
  const named = await findTags(ctx.sql, ctx.accountId, remove.map(tagKey));
  const unwanted = [...new Set(named.values())].filter((id) => !wanted.includes(id));
  const untagged = unwanted.length > 0 ? await untagRows(ctx, rows, () => unwanted) : new Map();
  const tagged = wanted.length > 0 ? (await tagRows(ctx, rows, () => wanted)).fitting : new Map();
  return [...untagged.keys(), ...tagged.keys()];
}

type FieldAction = Extract<StoredAction, { type: "set_field" }>;

/** Returns undefined where a built-in field doesn't take the value, such as an unknown time zone. */
function readFieldAction({
  field,
  value,
}: Extract<PeopleChange, { type: "field" }>): FieldAction | undefined {
  if (field.startsWith(CUSTOM)) return { type: "set_field", field_id: field.slice(CUSTOM.length), value };
  const column = PLAIN_NAMES.find((name): name is PlainName => name === field);
  if (!column) return undefined;
  if (value === null) return { type: "set_field", column, value };
  const read = readPlainFromFile(column, String(value));
  return "value" in read ? { type: "set_field", column, value: read.value } : undefined;
}

/** `add` and `copy` leave people where they are; `move` unsubscribes them here once they are there; `remove` unsubscribes them there. */
async function changeLists(
  ctx: TxCtx,
  hash: HashAddress,
  { action, listId }: Extract<PeopleChange, { type: "list" }>,
  rows: readonly SubscriberRow[],
  source: string,
): Promise<void> {
  if (action === "remove") {
    const pairs = rows.map((row) => ({ contactId: row.contact_id, listId }));
    const there = await lockByContact(ctx.sql, ctx.accountId, pairs, "wait");
    await unsubscribeMany(ctx, there, source);
    return;
  }
  await copyToList(ctx, hash, listId, source, rows, action === "add" ? "address" : "everything");
  if (action === "move") await leaveOnceThere(ctx, rows, listId, source);
}

/**
 * Whoever couldn't be added there stays here: where the account has all subscribers that it may have, and where the person left that list before,
 * since nobody is revived by a move, and nobody shall be on neither list.
 */
async function leaveOnceThere(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  listId: string,
  source: string,
): Promise<void> {
  const pairs = rows.map((row) => ({ contactId: row.contact_id, listId }));
  const there = new Set(
    (await findByContact(ctx.sql, ctx.accountId, pairs)).flatMap(({ contact_id, status }) =>
      status === "active" || status === "pending" ? [contact_id] : [],
    ),
  );
  await unsubscribeMany(
    ctx,
    rows.filter((row) => row.list_id !== listId && there.has(row.contact_id)),
    source,
  );
}
