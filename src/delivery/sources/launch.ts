/** A launch starts the planning and sending of an owner's source, or continues what an earlier launch left undone. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { countActive, readSegmentRules } from "../../subscribers/subscribers.ts";
import { countAnew } from "../guardrails/guardrails.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { discardSourceKind, planSourceKind, takeOverSourceKind } from "../job-kinds.ts";
import {
  addRunnable,
  countPlanned,
  endPlanning,
  insertPlan,
  moveSource,
  notifyReady,
  replaceSources,
} from "../ledger/ledger.ts";
import { transportFor } from "../transports/transports.ts";
import type { Audience, NewSource } from "../types.ts";
import {
  type FormerSource,
  insertSource,
  type LaunchRow,
  lockFormerSource,
  moveBatches,
  relaunchSource,
} from "./launch-store.ts";

import { awaitAdmissions, chooseLedger, mailHasLeft } from "./relaunch.ts";

/**
 * `audience_fixed`: mail was already sent to another audience, so this can't be a second try. `transport_changed`: the mail
 * would be sent by another server than it was checked for. In both cases nothing was changed.
 */
export type Launched = "launched" | "audience_fixed" | "transport_changed";

/**
 * Fixes the audience and the transport and adds the job that plans, within the transaction of the owner's own launch. After a
 * failure, a launch continues with the recipients not yet mailed: as the same source or, with other content, as another one.
 * With another audience, it starts with an empty ledger.
 */
export async function launchSource(ctx: TxCtx, source: NewSource): Promise<Launched> {
  const { sql, accountId } = ctx;
  const launchedAt = ctx.clock.now();
  const { listId, segmentId, topicId } = source.audience;
  const transport = await transportFor(sql, accountId, source.stream, source.hasInstanceServer);
  if (transport.host !== source.ownHost) return "transport_changed";
  const row: LaunchRow = {
    account_id: accountId,
    id: source.ownerId,
    owner_id: source.ownerId,
    stream: source.stream,
    transport_id: source.isSandbox ? SANDBOX_TRANSPORT : transport.id,
    revision_id: source.revisionId,
    list_id: listId,
    segment_id: segmentId,
    segment_rules: await freezeRules(ctx, source.audience),
    topic_id: topicId ?? null,
    is_given: false,
    on_ambiguous: source.onAmbiguous,
    launched_at: launchedAt,
  };
  const id = await insertOrRelaunch(ctx, row);
  if (id === undefined) return "audience_fixed";
  const known = await countPlanned(sql, accountId, source.ownerId, id);
  const estimate = Math.max(0, (await countActive(sql, accountId, listId)) - known);
  await insertPlan(sql, accountId, id, launchedAt, estimate);
  await addRunnable(sql, accountId, id);
  await addJob(sql, planSourceKind, { account_id: accountId, source_id: id }, { key: `plan ${id}` });
  // Senders without work wait for a notification: this one lets them prepare while the first slice is planned.
  await notifyReady(sql, id);
  return "launched";
}

/** Returns the id of the source that is to be planned, or undefined when the launch must be refused. */
async function insertOrRelaunch(ctx: TxCtx, row: LaunchRow): Promise<string | undefined> {
  const { sql, accountId } = ctx;
  const former = await lockFormerSource(sql, accountId, row.owner_id, row);
  if (former && former.state !== "failed") throw launchedAlready(row.owner_id);
  if (!former) {
    if (!(await insertSource(sql, row))) throw launchedAlready(row.owner_id);
    return row.id;
  }
  await awaitAdmissions(sql, accountId, former.id);
  const choice = chooseLedger(former, await mailHasLeft(sql, accountId, row.owner_id));
  if (choice === "refuse") return undefined;
  if (choice === "go_on") {
    await relaunchSource(sql, { ...row, id: former.id });
    await countAnew(sql, accountId, former.id, row.launched_at);
    await moveBatches(sql, accountId, former.id, row.transport_id);
    return former.id;
  }
  if (choice === "take_over") return supersede(ctx, former, row);
  // No mail of the owner's earlier sources was sent, and all of them are for the former audience, so all are replaced.
  for (const replacedId of await replaceSources(sql, accountId, row.owner_id))
    await addJob(sql, discardSourceKind, { account_id: accountId, source_id: replacedId });
  const id = newId(ctx.clock);
  if (!(await insertSource(sql, { ...row, id }))) throw launchedAlready(row.owner_id);
  return id;
}

/** Replaces the former source by one with other content and the same frozen audience. Nobody plans the former one any more. */
async function supersede(ctx: TxCtx, former: FormerSource, row: LaunchRow): Promise<string> {
  const { sql, accountId, clock } = ctx;
  const to = { state: "superseded", reason: null, endedAt: null } as const;
  await moveSource(sql, accountId, former.id, ["failed"], to);
  await endPlanning(sql, accountId, former.id, clock.now());
  const id = newId(clock);
  const { segmentId, segmentRules } = former;
  const successor = { ...row, id, segment_id: segmentId, segment_rules: segmentRules };
  if (!(await insertSource(sql, successor))) throw launchedAlready(row.owner_id);
  const payload = { account_id: accountId, source_id: former.id };
  await addJob(sql, takeOverSourceKind, payload, { key: `take over ${former.id}` });
  return id;
}

function launchedAlready(ownerId: string): Error {
  return new Error(`${ownerId} was launched already`);
}

async function freezeRules(ctx: TxCtx, { listId, segmentId }: Audience): Promise<unknown> {
  if (segmentId === null) return null;
  const rules = await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId);
  if (!rules) throw new Error(`there is no segment ${segmentId}`);
  return rules;
}
