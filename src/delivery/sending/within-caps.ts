/** Keeps a batch within what its transport may be given today: each of its mails needs a right, and what gets none is held back. */
import { nextDayBegins } from "../../accounts/accounts.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { hold, holdBack, insist, type LedgerRow } from "../ledger/ledger.ts";
import { freeRight, type SendingRight } from "../pacing/pacing.ts";
import { RETRIES_SPREAD_MS } from "../warmup/warmup.ts";
import type { PromiseGroup } from "./promise-group.ts";
import { isUrgent } from "./round-robin.ts";
import { type Batch, type Sender, unlessUnderWay } from "./send-message.ts";
import type { OpenSource } from "./source-composer.ts";
import { domainOf } from "./where-to.ts";

/** A row that may be sent, with the right to it. */
export type Allowed = { readonly row: LedgerRow; readonly right: SendingRight };

/** No limit counts what stays in the sandbox, nor the product's own mail. */
export function isUncounted({ transport_id, goes_while_held }: OpenSource): boolean {
  return transport_id === SANDBOX_TRANSPORT || goes_while_held;
}

/** A domain that jobs have only just been told of is mostly known by then. */
const AWAITED_FOR_MS = 3_000;

/**
 * Takes a right for each of these rows. Where providers have caps of their own, mail to a domain whose provider is being asked for waits a moment, but
 * for transactional mail: it would count as nobody's. Rows whose provider has used up its day are held back; of those that were deferred, whom no server has
 * answered are held back too, and the others wait for the next day by themselves. Where the transport has used up its own, `isDayOver` says so,
 * and the rows that are left stay as they are.
 */
export async function takeWithinCaps(
  { transportCaps, providers, clock }: Sender,
  batch: Batch,
  rows: readonly LedgerRow[],
  underWay: PromiseGroup,
): Promise<{ readonly allowed: readonly Allowed[]; readonly isDayOver: boolean }> {
  const { capped } = batch.open;
  if (!capped || isUncounted(batch.source))
    return { allowed: rows.map((row) => ({ row, right: freeRight })), isDayOver: false };
  // Nothing is sent to a recipient who is gone, and no right is needed to say so.
  const present = rows.flatMap((row) => (row.email === null ? [] : [{ row, domain: domainOf(row.email) }]));
  const { awaited = [], known = [] } = Object.groupBy(present, ({ row, domain }) =>
    capped.hasPlan && !isUrgent(batch.source) && row.attempt === 0 && providers.isAwaited(domain)
      ? "awaited"
      : "known",
  );
  for (const { row } of awaited) {
    const dueAt = new Date(clock.now().getTime() + AWAITED_FOR_MS * (1 + Math.random()));
    underWay.add(unlessUnderWay(batch, row, () => batch.journal.park({ contactId: row.contact_id, dueAt })));
  }
  const taken = await transportCaps.take(
    capped,
    isUrgent(batch.source),
    known.map(({ domain }) => providers.of(domain)),
  );
  const gone = rows.filter((row) => row.email === null).map((row) => ({ row, right: freeRight }));
  const allowed: Allowed[] = [];
  let isDayOver = false;
  for (const [index, { row, domain }] of known.entries()) {
    const right = taken[index];
    if (right === undefined || right === "transport_used_up") isDayOver = true;
    else if (right !== "provider_used_up") allowed.push({ row, right });
    else if (row.state === "deferred" && row.attempt > 0) {
      const tomorrow = nextDayBegins(clock.now()).getTime();
      const parked = {
        contactId: row.contact_id,
        dueAt: new Date(tomorrow + RETRIES_SPREAD_MS * Math.random()),
      };
      underWay.add(unlessUnderWay(batch, row, () => batch.journal.park(parked)));
    } else hold(batch, providers.of(domain), row, null);
  }
  return { allowed: [...gone, ...allowed], isDayOver };
}

/** Gives back the rights that weren't used, and moves what is held back out of the batch, so that nobody leases it too soon. */
export async function leaveForNextDay(
  { db, worker, clock, transportCaps }: Sender,
  { lease, source, open, heldBack }: Batch,
): Promise<void> {
  if (!open.capped) return;
  await transportCaps.giveBack(open.capped);
  if (heldBack.size > 0)
    await insist(() => holdBack(db, worker, lease, heldBack, source.transport_id, clock.now()));
}
