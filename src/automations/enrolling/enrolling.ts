/**
 * Puts people into an automation by hand: some who are named, a segment, or everybody on the list. Only an automation whose published version
 * has the trigger `manual` takes people so: its author has said that its mails make sense to who did nothing to get them.
 */
import { refuseWhileHeld } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, type Fault, invalid, missing } from "../../platform/problems.ts";
import { createFactReader, findSegmentIds, type SentCampaigns } from "../../subscribers/subscribers.ts";
import { enrollmentNotAllowed, refuse, tooManyEnrollments } from "../problems.ts";
import { readOneLive } from "../runs/runs.ts";
import { lockAutomation } from "../store.ts";
import { enrollKind } from "./enroll-people.ts";
import {
  countEnrollments,
  type EnrollmentRow,
  insertEnrollment,
  lockEnrollment,
  moveEnrollment,
} from "./enrollment-store.ts";
import type { EnrollmentInput } from "./schema.ts";

export { enrollJob } from "./enroll-people.ts";

const MOST_UNDER_WAY = 10;

export async function createEnrollment(
  ctx: TxCtx,
  sent: SentCampaigns,
  automationId: string,
  input: EnrollmentInput,
): Promise<EnrollmentRow> {
  refuseFaulty(input);
  const { sql, accountId, clock } = ctx;
  const row = await lockAutomation(sql, accountId, automationId);
  if (!row) throw missing("automation");
  if (row.state !== "live" && row.state !== "paused")
    throw refuse(row.state, `an automation that is ${row.state} takes nobody`);
  await refuseWhileHeld(ctx);
  const live = await readOneLive(sql, accountId, automationId);
  if (!live?.graph.entry.on.some(({ type }) => type === "manual"))
    throw new AppError(enrollmentNotAllowed, "the published version has no trigger of the type manual");
  if ((await countEnrollments(sql, accountId, automationId, true)) >= MOST_UNDER_WAY)
    throw new AppError(tooManyEnrollments, `${MOST_UNDER_WAY} may be under way in one automation`);
  const segmentId = await readSegmentId(ctx, input.segment_id);
  const people = input.subscriber_ids && (await readPeople(ctx, sent, row.list_id, input.subscriber_ids));
  const now = clock.now();
  const enrollment: EnrollmentRow = {
    account_id: accountId,
    id: newId(clock),
    automation_id: automationId,
    status: "queued",
    whom: people ? "subscribers" : segmentId ? "segment" : "everyone",
    segment_id: segmentId ?? null,
    spread_minutes: input.spread_minutes ?? 0,
    total: people?.length ?? null,
    processed: 0,
    entered: 0,
    skipped: {},
    error: null,
    created_at: now,
    updated_at: now,
    finished_at: null,
  };
  await insertEnrollment(sql, enrollment, people ?? null);
  const payload = { account_id: accountId, enrollment_id: enrollment.id };
  await addJob(sql, enrollKind, payload, { key: `enroll ${enrollment.id}` });
  return enrollment;
}

/** Lets in nobody more; who is inside by then stays. */
export async function cancelEnrollment(ctx: TxCtx, automationId: string, id: string): Promise<EnrollmentRow> {
  const work = await lockEnrollment(ctx.sql, ctx.accountId, id);
  if (!work || work.automation_id !== automationId) throw missing("enrollment");
  if (work.status === "canceled") return work;
  if (work.status !== "queued" && work.status !== "running") throw refuse(work.status, "it has ended");
  const now = ctx.clock.now();
  await moveEnrollment(ctx.sql, work, { ...work, status: "canceled", after: undefined }, now);
  return { ...work, status: "canceled", updated_at: now, finished_at: now };
}

function refuseFaulty(input: EnrollmentInput): void {
  const given = [input.subscriber_ids, input.segment_id, input.everyone].filter((one) => one !== undefined);
  if (given.length === 1) return;
  const detail = "give one of subscriber_ids, segment_id and everyone";
  throw invalid({ pointer: "", code: given.length === 0 ? "required" : "conflicting_fields", detail });
}

async function readSegmentId(
  { sql, accountId }: TxCtx,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const id = fromPublicId("seg", text);
  if (id && (await findSegmentIds(sql, accountId, [id])).has(id)) return id;
  throw invalid({
    pointer: "/segment_id",
    code: "not_found",
    detail: "there is no such segment in this account",
  });
}

/** Each is named once, and is on the automation's list. */
async function readPeople(
  ctx: TxCtx,
  sent: SentCampaigns,
  listId: string,
  texts: readonly string[],
): Promise<readonly string[]> {
  const ids = texts.map((text) => fromPublicId("sub", text));
  const known = await (await createFactReader(ctx, listId, sent)).read(
    ids.flatMap((id) => id ?? []),
    [],
    undefined,
    ctx.clock.now(),
  );
  const faults: Fault[] = ids.flatMap((id, at) =>
    id && known.has(id)
      ? []
      : [
          {
            pointer: `/subscriber_ids/${at}`,
            code: "not_found",
            detail: "there is no such subscriber on the list",
          },
        ],
  );
  if (faults.length > 0) throw invalid(...faults);
  return [...new Set(ids.flatMap((id) => id ?? []))];
}
