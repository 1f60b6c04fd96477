/** A person of the database, or a made-up one, who is asked and changed for a simulation. The caller rolls all of it back. */
import { randomUUID } from "node:crypto";
import { pretendNoSubscriberLimit } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { type AppError, invalid } from "../../platform/problems.ts";
import {
  allFields,
  changePeople,
  createFactReader,
  createSubscriber,
  type HashAddress,
  type PeopleChange,
  pretendConfirmed,
  readCandidate,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Change } from "../graph/graph.ts";
import { changeOf, shareOf } from "../steps/steps.ts";
import type { World } from "./interpret.ts";

export type Tools = { readonly sent: SentCampaigns; readonly hash: HashAddress };
export type AutomationOf = { readonly id: string; readonly listId: string };

/** Somebody who isn't there, or isn't on the automation's list. */
export function unknownSubscriber(): AppError {
  return invalid({
    pointer: "/subscriber_id",
    code: "not_found",
    detail: "there is no such subscriber on its list",
  });
}

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
  await pretendNoSubscriberLimit(ctx.sql, ctx.accountId);
  const { id } = await createSubscriber(ctx, hash, read.candidate, "refuse");
  await pretendConfirmed(ctx.sql, ctx.accountId, id);
  return id;
}

export async function openWorld(
  ctx: TxCtx,
  { sent, hash }: Tools,
  { id: automationId, listId }: AutomationOf,
  subscriberId: string,
): Promise<World> {
  const { sql: tx, accountId } = ctx;
  const reader = await createFactReader(ctx, listId, sent);
  /** What is asked of who waits, but for rules and dates, stays the same until they are changed. */
  let plain: Awaited<ReturnType<World["ask"]>> | undefined;
  return {
    async ask(rules, dateField, now) {
      const isPlain = rules.length === 0 && dateField === undefined;
      if (isPlain && plain) return plain;
      const known = (await reader.read([subscriberId], rules, dateField, now)).get(subscriberId);
      if (!known) throw unknownSubscriber();
      if (isPlain) plain = known;
      return known;
    },
    shareAt: (name) => shareOf(automationId, name, subscriberId),
    readSegment: (segmentId) => readSegmentRules(tx, accountId, segmentId, listId),
    async apply(node, now) {
      const change = changeOf(node);
      if (change) await changeAt(change, now);
    },
    change: (change, now) => changeAt(asPeopleChange(change), now),
  };

  async function changeAt(change: PeopleChange, now: Date): Promise<boolean> {
    plain = undefined;
    const then: TxCtx = { ...ctx, clock: { ...ctx.clock, now: () => now } };
    const source = toPublicId("aut", automationId);
    return (await changePeople(then, hash, change, [subscriberId], source)).has(subscriberId);
  }
}

function asPeopleChange(change: Change): PeopleChange {
  if (change.type === "field_changed") return { ...change, type: "field" };
  const [add, remove] = change.type === "tag_added" ? [[change.tag], []] : [[], [change.tag]];
  return { type: "tag", add, remove };
}
