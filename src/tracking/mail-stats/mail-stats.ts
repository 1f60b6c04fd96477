/**
 * What became of mails, in numbers, whatever they are part of: what was sent and what came back of it, and who opened and clicked, as far as the
 * mode of tracking lets it be known.
 */
import { type Static, Type } from "typebox";
import { TRACKING_MODES, type TrackingMode } from "../../accounts/accounts.ts";
import type { SourceCounts } from "../../delivery/delivery.ts";
import { readTrackingModes } from "../../messages/messages.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { Nullable, Timestamp } from "../../platform/http/schemas.ts";
import type { Sums, Totals } from "../counting/counting.ts";

/** What every number of recipients says about the modes of tracking. */
export const UNIQUE_IN_MODES =
  "null where nobody was tracked in person (`tracking` aggregate or off); where it was consented, of those who agreed.";

export const counts = <const N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<
    N,
    ReturnType<typeof Type.Integer>
  >;
export const bounceCounts = Type.Object(counts(["hard", "soft", "block", "total"] as const), {
  description:
    "hard: the address will never work, and is suppressed. soft: its mailbox or its server didn't take this mail. block: we or the message weren't wanted, which says nothing about the address.",
});
const rates = ["delivery", "bounce", "unsubscribe", "complaint"] as const;
const Recipients = Nullable(Type.Integer());
export const Traffic = Type.Object(
  {
    ...counts(["total", "machine_total"] as const),
    unique: Recipients,
    machine_unique: Recipients,
    human_unique: Recipients,
  },
  { description: `The unique ones are numbers of recipients: ${UNIQUE_IN_MODES}` },
);
export const SeenRate = Nullable(Type.Number());

/** What is known of mails: of a campaign, or of a step of an automation. */
export const mailNumbers = {
  ...counts(["recipients", "queued", "sent", "delivered", "deferred", "failed", "unknown"] as const),
  skipped: Type.Object(
    counts(["suppressed", "unsubscribed", "invalid", "canceled", "deleted", "total"] as const),
  ),
  bounces: bounceCounts,
  ...counts(["complaints", "unsubscribes"] as const),
  opens: Traffic,
  clicks: Traffic,
  tracking: Type.Unsafe<TrackingMode | null>({
    type: ["string", "null"],
    enum: [...TRACKING_MODES, null],
    description:
      "How its mail was tracked; null before the launch. If it was launched again in another mode, the one that says less.",
  }),
  rates: Type.Object(
    {
      ...(Object.fromEntries(rates.map((name) => [name, Type.Number()])) as Record<
        (typeof rates)[number],
        ReturnType<typeof Type.Number>
      >),
      open: SeenRate,
      click: SeenRate,
      click_to_open: SeenRate,
    },
    {
      description:
        "From 0 to 1; 0 where there is nothing to divide by. `open` and `click` are people over `delivered`, and null unless " +
        "`tracking` is individual: nobody can say how many of the delivered could have been seen. `click_to_open` is there " +
        "also where it is consented, among those who agreed.",
    },
  ),
  first_open_at: Nullable(Timestamp),
  last_open_at: Nullable(Timestamp),
  last_click_at: Nullable(Timestamp),
};

const MailNumbers = Type.Object(mailNumbers);
type MailNumbers = Static<typeof MailNumbers>;

export type MailEngagement = {
  /** How the mail was tracked: the mode that says least, if it had several; null before any was sent. */
  readonly mode: TrackingMode | null;
  readonly totals: Totals;
};

/** The mode of each group of sources that says least of those that they were sent in; a group without any is left out. */
export async function readModesOfGroups(
  db: Queryable,
  accountId: string,
  sources: readonly { readonly revisionId: string; readonly group: string }[],
): Promise<Map<string, TrackingMode | null>> {
  const modes = await readTrackingModes(
    db,
    sources.map(({ revisionId }) => ({ accountId, revisionId })),
  );
  const groups = Map.groupBy(sources, ({ group }) => group);
  return new Map(
    [...groups].map(([group, own]) => [group, leastOf(own.map(({ revisionId }) => modes.get(revisionId)))]),
  );
}

export function leastOf(modes: readonly (TrackingMode | undefined)[]): TrackingMode | null {
  return LEAST_FIRST.find((one) => modes.includes(one)) ?? null;
}

const LEAST_FIRST: readonly TrackingMode[] = ["off", "aggregate", "consented", "individual"];

/** Whether the numbers of recipients mean something. Before a launch they are zero. */
export function seesPeople(mode: TrackingMode | null): boolean {
  return mode !== "aggregate" && mode !== "off";
}

export function shapeMailNumbers(source: SourceCounts, { totals, mode }: MailEngagement): MailNumbers {
  const { recipients, queued, sent, deferred, failed, unknown, skipped, bounces, unsubscribes, complaints } =
    source;
  const attempted = sent + failed;
  const delivered = Math.max(0, sent - source.returned);
  return {
    recipients,
    queued,
    sent,
    delivered,
    deferred,
    failed,
    unknown,
    skipped,
    bounces,
    complaints,
    unsubscribes,
    tracking: mode,
    ...shapeTraffics(mode, totals),
    rates: {
      delivery: rate(delivered, attempted),
      bounce: rate(bounces.total, attempted),
      ...seenRates(mode, totals, delivered),
      unsubscribe: rate(unsubscribes, delivered),
      complaint: rate(complaints, delivered),
    },
    first_open_at: totals.firstAt?.toISOString() ?? null,
    last_open_at: totals.lastAt?.toISOString() ?? null,
    last_click_at: totals.lastClickAt?.toISOString() ?? null,
  };
}

/** What is seen of some says nothing of all who were mailed. */
export function seenRates(mode: TrackingMode | null, sums: Sums, delivered: number) {
  const isEverybodySeen = mode === null || mode === "individual";
  return {
    open: isEverybodySeen ? rate(sums.humanOpeners, delivered) : null,
    click: isEverybodySeen ? rate(sums.humanClickers, delivered) : null,
    click_to_open: seesPeople(mode) ? rate(sums.humanClickers, sums.humanOpeners) : null,
  };
}

export function shapeTraffics(mode: TrackingMode | null, sums: Sums) {
  return {
    opens: shapeTraffic(mode, sums.opens, sums.humanOpens, sums.openers, sums.humanOpeners),
    clicks: shapeTraffic(mode, sums.clicks, sums.humanClicks, sums.clickers, sums.humanClickers),
  };
}

function shapeTraffic(
  mode: TrackingMode | null,
  total: number,
  human: number,
  unique: number,
  humanUnique: number,
) {
  const machineTotal = total - human;
  if (!seesPeople(mode))
    return { total, unique: null, machine_total: machineTotal, machine_unique: null, human_unique: null };
  return {
    total,
    unique,
    machine_total: machineTotal,
    machine_unique: unique - humanUnique,
    human_unique: humanUnique,
  };
}

export function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}
