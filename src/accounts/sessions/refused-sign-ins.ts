/**
 * A wrong password stands in the audit log of each account that it would have opened. Whose it is, is asked later, by a job, so that neither the
 * answer nor its time tells whether somebody has that address. What the throttle refuses before isn't recorded, so nobody can flood the log.
 */
import { recordOnce } from "../../audit/audit.ts";
import type { ActCtx } from "../../platform/context.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import type { Client } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob, type Job } from "../../platform/jobs/jobs.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type RefusedSignInPayload, refusedSignInKind } from "../job-kinds.ts";
import { findPersonByEmail } from "../people/people.ts";
import { wrongCredentials } from "../problems.ts";
import { listMemberships } from "../users/users.ts";

/** Adds the job where the credentials were wrong, whatever the address, and throws the error on. */
export async function noteRefusal(
  secrets: Secrets,
  ctx: ActCtx,
  { email, client, error }: { email: string; client: Client; error: unknown },
): Promise<never> {
  if (error instanceof AppError && error.problem === wrongCredentials) {
    const id = newId(ctx.clock);
    const address = secrets.seal("refused-sign-in", email, id).toString("base64");
    const at = ctx.clock.now().toISOString();
    await addJob(ctx.sql, refusedSignInKind, { address, occasion_id: id, at, origin: auditOrigin(client) });
  }
  throw error;
}

export function refusedSignInJob(secrets: Secrets): Job<RefusedSignInPayload> {
  return {
    ...refusedSignInKind,
    async run({ db }, { address, occasion_id: id, at, origin }) {
      const email = secrets.open("refused-sign-in", Buffer.from(address, "base64"), id);
      const person = email === undefined ? undefined : await findPersonByEmail(db, email);
      const memberships = person ? await listMemberships(db, person.id) : [];
      const records = memberships.map((user) => ({
        accountId: user.account_id,
        actor: { kind: "stranger", id: null } as const,
        action: "session.refused",
        targetId: toPublicId("usr", user.id),
        fields: [],
        origin,
      }));
      await db.transaction((tx) => recordOnce(tx, { id, at: new Date(at) }, records));
    },
  };
}
