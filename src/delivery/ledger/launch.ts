/** A launch: an owner's source begins to be planned and sent, or what an earlier launch left is gone on with. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { countActive, readSegmentRules } from "../../subscribers/subscribers.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { discardSourceKind, planSourceKind, takeOverSourceKind } from "../job-kinds.ts";
import { transportFor } from "../transports/transports.ts";
import type { Audience, NewSource } from "../types.ts";
import {
  type Former,
  insertSource,
  type LaunchRow,
  lockFormer,
  moveBatches,
  relaunchSource,
} from "./launch-store.ts";
import { notifyReady } from "./notifications.ts";
import { replaceSources } from "./owner-store.ts";
import { countPlanned, endPlanning, insertPlan } from "./plans-store.ts";
import { awaitAdmissions, chooseLedger, mailHasLeft } from "./relaunch.ts";
import { addRunnable } from "./runnable-store.ts";
import { moveSource } from "./source-store.ts";

/**
 * `audience_fixed`: mail has left to another audience, so this is no second try of it. `transport_changed`: it would leave by
 * another server than it was looked over for. Nothing was changed.
 */
export type Launched = "launched" | "audience_fixed" | "transport_changed";

/**
 * In the transaction of the owner's own launch: freezes the audience's bounds and what it leaves by, and adds the job that
 * plans. Launched again after it failed, it goes on with those not yet sent, as the same source or, with other content, as
 * another one; with another audience it begins with an empty ledger.
 */
export async function launchSource(ctx: TxCtx, source: NewSource): Promise<Launched> {
  const { sql, accountId } = ctx;
  const launchedAt = ctx.clock.now();
  const { listId, segmentId } = source.audience;
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
    is_given: false,
    on_ambiguous: source.onAmbiguous,
    launched_at: launchedAt,
  };
  const id = await placeSource(ctx, row);
  if (id === undefined) return "audience_fixed";
  const known = await countPlanned(sql, accountId, source.ownerId, id);
  const estimate = Math.max(0, (await countActive(sql, accountId, listId)) - known);
  await insertPlan(sql, accountId, id, launchedAt, estimate);
  await addRunnable(sql, accountId, id);
  await addJob(sql, planSourceKind, { account_id: accountId, source_id: id }, { key: `plan ${id}` });
  // Senders may sleep until there is something: they get ready while the first slice is planned.
  await notifyReady(sql, id);
  return "launched";
}

/** The id under which the engine has it now: its own, or that of the source that takes the place of a former one. */
async function placeSource(ctx: TxCtx, row: LaunchRow): Promise<string | undefined> {
  const { sql, accountId } = ctx;
  const former = await lockFormer(sql, accountId, row.owner_id, row);
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
    await moveBatches(sql, accountId, former.id, row.transport_id);
    return former.id;
  }
  if (choice === "take_over") return supersede(ctx, former, row);
  // No mail of any of them has left: what an earlier one still hands over is for the former audience, too.
  for (const replacedId of await replaceSources(sql, accountId, row.owner_id))
    await addJob(sql, discardSourceKind, { account_id: accountId, source_id: replacedId });
  const id = newId(ctx.clock);
  if (!(await insertSource(sql, { ...row, id }))) throw launchedAlready(row.owner_id);
  return id;
}

/** What has been begun is ended with the audience that was frozen then. Behind the lock of its plan nobody plans the former. */
async function supersede(ctx: TxCtx, former: Former, row: LaunchRow): Promise<string> {
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
