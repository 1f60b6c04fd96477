/** Reads mails with what the ledger knows of them. */
import {
  type FailedAttempt,
  listFailedAttempts,
  listFeedback,
  readRecipients,
} from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { nthOf, recipientIdsOf } from "../mail-ids.ts";
import type { Email, EmailDetail } from "../schema.ts";
import { openEnvelope } from "../sealed.ts";
import { type EmailRow, findEmail } from "../store.ts";
import { type KnownRows, shapeEmail, shapeTimeline } from "./shape.ts";

export async function showEmail(ctx: Ctx, secrets: Secrets, id: string): Promise<EmailDetail> {
  const row = await findEmail(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("email");
  const [[email], attempts] = await Promise.all([showEmails(ctx, secrets, [row]), readAttempts(ctx, row)]);
  if (!email) throw missing("email");
  return { ...email, timeline: shapeTimeline(email, attempts) };
}

/** Shows rows in their order. The ledger is asked once for each wave that they are in. */
export async function showEmails(ctx: Ctx, secrets: Secrets, rows: readonly EmailRow[]): Promise<Email[]> {
  const known = await readKnown(ctx, rows);
  return rows.map((row) => {
    const place = { accountId: ctx.accountId, contentId: row.content_id };
    return shapeEmail(row, row.envelope ? openEnvelope(secrets, place, row.envelope) : undefined, known);
  });
}

async function readKnown({ sql, accountId }: Ctx, rows: readonly EmailRow[]): Promise<KnownRows> {
  const sent = rows.flatMap((row) =>
    row.wave_id === null
      ? []
      : recipientIdsOf(row.id, row.recipients).map((contactId) => ({
          sourceId: row.wave_id as string,
          contactId,
        })),
  );
  const byWave = Map.groupBy(sent, ({ sourceId }) => sourceId);
  const [ledger, ...feedback] = await Promise.all([
    readRecipients(sql, accountId, sent),
    ...[...byWave].map(([waveId, some]) =>
      listFeedback(
        sql,
        accountId,
        waveId,
        some.map(({ contactId }) => contactId),
      ),
    ),
  ]);
  return {
    rows: new Map(ledger.map((row) => [row.contactId, row])),
    feedback: Map.groupBy(feedback.flat(), ({ contactId }) => contactId),
  };
}

async function readAttempts(
  { sql, accountId }: Ctx,
  row: EmailRow,
): Promise<(FailedAttempt & { readonly nth: number })[]> {
  if (row.wave_id === null) return [];
  const ids = recipientIdsOf(row.id, row.recipients);
  const attempts = await listFailedAttempts(sql, accountId, row.wave_id, ids);
  return attempts.map((one) => ({ ...one, nth: nthOf(one.contactId) }));
}
