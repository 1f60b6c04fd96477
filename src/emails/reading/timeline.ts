/** Tells what happened to a mail, in order: to the whole first, then to each recipient. */
import type { FailedAttempt } from "../../delivery/delivery.ts";
import { nthOf, recipientIdsOf } from "../mail-ids.ts";
import type { Email, TimelineEntry } from "../schema.ts";
import type { EmailRow } from "../store.ts";
import { statusOf } from "./recipient-status.ts";
import type { KnownRows } from "./shape.ts";

type History = {
  readonly row: Omit<EmailRow, "envelope">;
  readonly email: Email;
  readonly known: KnownRows;
  readonly attempts: readonly FailedAttempt[];
  /** Where the links lead that are counted, by their numbers; none where the mail is no longer kept. */
  readonly links: readonly string[];
};

const NOTHING = { email: null, attempt: null, reason: null, code: null, reply: null, url: null };
const OPEN = ["queued", "scheduled", "deferred"];

export function shapeTimeline(history: History): TimelineEntry[] {
  const { row, email, known, attempts } = history;
  const addressOf = (recipientId: string) => email.recipients[nthOf(recipientId)]?.email ?? null;
  const deferred = attempts
    .filter(({ state }) => state === "deferred")
    .map(({ contactId, attempt, why, code, reply, at }): TimelineEntry => {
      const to = addressOf(contactId);
      return { ...NOTHING, type: "deferred", at: iso(at), email: to, attempt, reason: why, code, reply };
    });
  const ofRecipients = recipientIdsOf(row.id, row.recipients).flatMap((id) => [
    ...endOf(history, id),
    ...feedbackOf(known, id, addressOf(id)),
    ...seenOf(history, id),
  ]);
  const later = [...deferred, ...ofRecipients].sort((one, other) => (one.at < other.at ? -1 : 1));
  return [...beginningOf(history), ...later];
}

function beginningOf({ row, email, known }: History): TimelineEntry[] {
  const begun = { ...NOTHING, at: email.created_at };
  if (email.send_at === null) return [{ ...begun, type: "queued" }];
  const handedOver = recipientIdsOf(row.id, row.recipients).flatMap(
    (id) => known.rows.get(id)?.createdAt ?? [],
  );
  const [first] = handedOver;
  return [
    { ...begun, type: "scheduled" },
    ...(first ? [{ ...NOTHING, type: "queued" as const, at: iso(first) }] : []),
  ];
}

/** How the ledger's row of a recipient ended, whatever came back of it later; without a row, how the recipient stands. */
function endOf({ row, email, known }: History, recipientId: string): TimelineEntry[] {
  const shown = email.recipients[nthOf(recipientId)];
  const ledger = known.rows.get(recipientId);
  if (!shown) return [];
  const { email: to } = shown;
  if (!ledger || row.canceled_at) {
    const { status, reason, code, reply, at } = shown;
    return OPEN.includes(status) ? [] : [{ ...NOTHING, type: status, at, email: to, reason, code, reply }];
  }
  const type = statusOf(ledger);
  if (OPEN.includes(type)) return [];
  const { at, why: reason, attempts: attempt, code, text: reply } = ledger;
  return [{ ...NOTHING, type, at: iso(at), email: to, attempt: attempt || null, reason, code, reply }];
}

function feedbackOf({ feedback }: KnownRows, recipientId: string, to: string | null): TimelineEntry[] {
  return (feedback.get(recipientId) ?? []).map(({ kind, at }) => {
    const isComplaint = kind === "complaint";
    const type = isComplaint ? ("complained" as const) : ("bounced" as const);
    return { ...NOTHING, type, at: iso(at), email: to, reason: isComplaint ? null : kind };
  });
}

function seenOf({ email, known, links }: History, recipientId: string): TimelineEntry[] {
  const to = email.recipients[nthOf(recipientId)]?.email ?? null;
  return (known.seen.get(recipientId) ?? []).map(({ link, at, humanTimes }) => ({
    ...NOTHING,
    type: link === null ? ("opened" as const) : ("clicked" as const),
    at: iso(at),
    email: to,
    reason: humanTimes === 0 ? "machine" : null,
    url: link === null ? null : (links[link] ?? null),
  }));
}

function iso(at: Date): string {
  return at.toISOString();
}
