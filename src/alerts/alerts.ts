/**
 * Alerts say what an account has to do something about. Whoever watches something opens one, as often as it looks, and closes it when
 * it is over; the account is told once, by an event and by a mail to its owners, and again only when the alert changes to something as
 * grave or graver. Other folders use this file alone.
 */
import { recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Writable } from "../platform/db/db.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import type { AlertKind, Severity } from "./kinds.ts";
import {
  type AlertRow,
  acknowledgeRow,
  closeAlertRow,
  closeRowsAbout,
  easeAlert,
  findAlert,
  removeClosed,
  upsertAlert,
  wasOverSince,
} from "./store.ts";

export type { AlertKind, Severity } from "./kinds.ts";
export { type AlertRow, findAlert, listAccountsWith, listSubjects } from "./store.ts";

export type NewAlert = {
  readonly kind: AlertKind;
  /** There is one alert of a kind for each subject. */
  readonly subject: string;
  readonly severity: Severity;
  /**
   * Says which state the subject is in, where the severity alone doesn't. People are told again when it changes, so it holds nothing
   * that grows by itself, such as a count.
   */
  readonly stateKey?: string;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const DAY_MS = 24 * 3_600_000;
const CLOSED_KEPT_MS = 365 * DAY_MS;
/** What is back so soon after its end is shown and recorded, and nobody gets another mail about it. */
const QUIET_MS = DAY_MS;

/**
 * Opens an alert. While there is one that says the same, open or acknowledged, nothing happens, and one that was critical stays so
 * while its state is the same: what strangers tell could otherwise make it change to and fro, with a mail each time.
 */
export async function openAlert(ctx: TxCtx, alert: NewAlert): Promise<void> {
  const { kind, subject, severity, stateKey = "", title, detail, remedy } = alert;
  const row = {
    id: newId(ctx.clock),
    kind,
    subject: storable(subject),
    severity,
    stateKey: storable(stateKey),
    title: storable(title),
    detail: storable(detail),
    remedy: storable(remedy),
    data: JSON.stringify(alert.data, (_, value) => (typeof value === "string" ? storable(value) : value)),
    at: ctx.clock.now(),
  };
  const opened = await upsertAlert(ctx.sql, ctx.accountId, row);
  if (!opened) return easeAlert(ctx.sql, ctx.accountId, row);
  const since = new Date(row.at.getTime() - QUIET_MS);
  const isBack = opened.is_new && (await wasOverSince(ctx.sql, ctx.accountId, row, since));
  const data = { alert_id: toPublicId("alr", opened.id), kind, severity, is_new: opened.is_new };
  await recordEvent(ctx, { type: "alert.opened", data, isNoticed: !isBack });
}

/** Closes the alert of this kind and subject, where there is one. */
export async function closeAlert(ctx: TxCtx, kind: AlertKind, subject: string): Promise<void> {
  const at = ctx.clock.now();
  const closed = await closeAlertRow(ctx.sql, ctx.accountId, { kind, subject: storable(subject), at });
  if (!closed) return;
  const data = { alert_id: toPublicId("alr", closed.id), kind, severity: closed.severity };
  await recordEvent(ctx, { type: "alert.closed", data });
}

/** Closes all alerts about a subject that is gone. */
export async function closeAlertsAbout(ctx: TxCtx, subject: string): Promise<void> {
  const about = { subject: storable(subject), at: ctx.clock.now() };
  for (const { id, kind, severity } of await closeRowsAbout(ctx.sql, ctx.accountId, about)) {
    const data = { alert_id: toPublicId("alr", id), kind, severity };
    await recordEvent(ctx, { type: "alert.closed", data });
  }
}

/** Acknowledges an open alert. One that was acknowledged, or is over, stays as it is. */
export async function acknowledgeAlert(ctx: TxCtx, id: string): Promise<AlertRow> {
  const acknowledged = await acknowledgeRow(ctx.sql, ctx.accountId, id, ctx.clock.now());
  if (!acknowledged) {
    const found = await findAlert(ctx.sql, ctx.accountId, id);
    if (!found) throw missing("alert");
    return found;
  }
  const { kind, severity } = acknowledged;
  const data = { alert_id: toPublicId("alr", id), kind, severity };
  await recordEvent(ctx, { type: "alert.acknowledged", data });
  return acknowledged;
}

export function forgetOldAlerts(db: Writable, now: Date): Promise<void> {
  return removeClosed(db, new Date(now.getTime() - CLOSED_KEPT_MS));
}

/** PostgreSQL stores no NUL, and what strangers sent may hold one, or half of a pair of surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
