/**
 * A wrong second factor stands in the audit log of each account that it would have opened: whoever gives one knows the password, or has a session.
 * A refusal undoes its transaction, so a job records it. What the throttle refuses before isn't recorded, so nobody can flood the log.
 */
import { recordOnce } from "../../audit/audit.ts";
import { recordEvent } from "../../events/events.ts";
import { type ActCtx, SYSTEM } from "../../platform/context.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import type { Client } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob, type Job } from "../../platform/jobs/jobs.ts";
import { type RefusedFactorPayload, refusedFactorKind } from "../job-kinds.ts";
import { listMemberships, type Membership } from "../users/users.ts";

export async function noteRefusedFactor(
  ctx: ActCtx,
  personId: string,
  client: Client,
  how: Pick<RefusedFactorPayload, "is_confirmation" | "is_last">,
): Promise<void> {
  await addJob(ctx.sql, refusedFactorKind, {
    person_id: personId,
    occasion_id: newId(ctx.clock),
    at: ctx.clock.now().toISOString(),
    origin: auditOrigin(client),
    ...how,
  });
}

export function refusedFactorJob(): Job<RefusedFactorPayload> {
  return {
    ...refusedFactorKind,
    async run({ db, clock }, payload) {
      const memberships = await listMemberships(db, payload.person_id);
      const occasion = { id: payload.occasion_id, at: new Date(payload.at) };
      await db.transaction(async (tx) => {
        const records = memberships.map((user) => recordOf(user, payload));
        const added = await recordOnce(tx, occasion, records);
        if (added === 0 || !payload.is_last) return;
        // Each account tells the person: one of them alone might keep its mail back.
        for (const { account_id: accountId, id } of memberships) {
          const own = { sql: tx, accountId, actor: SYSTEM, clock };
          const data = { user_id: toPublicId("usr", id) };
          await recordEvent(own, { type: "user.sign_in_refused", data, isNoticed: true });
        }
      });
    },
  };
}

function recordOf(user: Membership, { is_confirmation: isConfirmation, origin }: RefusedFactorPayload) {
  const userId = toPublicId("usr", user.id);
  return {
    accountId: user.account_id,
    actor: isConfirmation
      ? ({ kind: "user", id: userId } as const)
      : ({ kind: "stranger", id: null } as const),
    action: "session.factor_refused" as const,
    targetId: userId,
    fields: [],
    origin,
  };
}
