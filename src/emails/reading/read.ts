/** Reads mails with what the ledger and tracking know of them. */
import { LEDGER_MS, listFailedAttempts, listFeedback, readRecipients } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { listSeenOf } from "../../tracking/tracking.ts";
import { recipientIdsOf } from "../mail-ids.ts";
import type { Email, EmailDetail } from "../schema.ts";
import { type Envelope, openBody, openEnvelope } from "../sealed.ts";
import { type EmailRow, findEmail, readContents } from "../store.ts";
import { type KnownRows, shapeEmail } from "./shape.ts";
import { shapeTimeline } from "./timeline.ts";

export async function showEmail(ctx: Ctx, secrets: Secrets, id: string): Promise<EmailDetail> {
  const row = await findEmail(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("email");
  const opened = openAll(ctx, secrets, [row]);
  const ids = recipientIdsOf(id, row.recipients);
  const [known, attempts] = await Promise.all([
    readKnown(ctx, opened),
    row.wave_id === null ? [] : listFailedAttempts(ctx.sql, ctx.accountId, row.wave_id, ids),
  ]);
  const email = shapeEmail(row, opened[0]?.envelope, known);
  const isClicked = [...known.seen.values()].flat().some(({ link }) => link !== null);
  const links = isClicked ? await readLinks(ctx, secrets, row) : [];
  return { ...email, timeline: shapeTimeline({ row, email, known, attempts, links }) };
}

/** Shows rows in their order. The ledger is asked once for each wave that they are in. */
export async function showEmails(ctx: Ctx, secrets: Secrets, rows: readonly EmailRow[]): Promise<Email[]> {
  const opened = openAll(ctx, secrets, rows);
  const known = await readKnown(ctx, opened);
  return opened.map(({ row, envelope }) => shapeEmail(row, envelope, known));
}

type OpenedEmail = { readonly row: EmailRow; readonly envelope: Envelope | undefined };

function openAll({ accountId }: Ctx, secrets: Secrets, rows: readonly EmailRow[]): OpenedEmail[] {
  return rows.map((row) => {
    const place = { accountId, contentId: row.content_id };
    return { row, envelope: row.envelope ? openEnvelope(secrets, place, row.envelope) : undefined };
  });
}

async function readKnown({ sql, accountId, clock }: Ctx, all: readonly OpenedEmail[]): Promise<KnownRows> {
  const sent = all.flatMap(({ row, envelope }) =>
    row.wave_id === null
      ? []
      : recipientIdsOf(row.id, row.recipients).map((contactId) => ({
          sourceId: row.wave_id as string,
          contactId,
          isTracked: envelope?.tracking?.opens || envelope?.tracking?.clicks,
        })),
  );
  const byWave = (some: typeof sent) => [...Map.groupBy(some, ({ sourceId }) => sourceId)];
  const idsOf = (some: typeof sent) => some.map(({ contactId }) => contactId);
  const [ledger, feedback, seen] = await Promise.all([
    readRecipients(sql, accountId, sent),
    Promise.all(byWave(sent).map(([id, some]) => listFeedback(sql, accountId, id, idsOf(some)))),
    Promise.all(
      byWave(sent.filter(({ isTracked }) => isTracked)).map(([id, some]) =>
        listSeenOf(sql, accountId, id, idsOf(some)),
      ),
    ),
  ]);
  return {
    rows: new Map(ledger.map((row) => [row.contactId, row])),
    feedback: Map.groupBy(feedback.flat(), ({ contactId }) => contactId),
    seen: Map.groupBy(seen.flat(), ({ contactId }) => contactId),
    ledgerSince: new Date(clock.now().getTime() - LEDGER_MS),
  };
}

/** Reads where the counted links of a mail lead, as far as it is kept. */
async function readLinks(
  { sql, accountId }: Ctx,
  secrets: Secrets,
  row: EmailRow,
): Promise<readonly string[]> {
  const [kept] = await readContents(sql, accountId, [row.id]);
  const body = kept?.body && openBody(secrets, { accountId, contentId: row.content_id }, kept.body);
  return body ? (body.tracked?.links ?? []) : [];
}
