/**
 * Decides from the receiving server's log, without I/O, who got nothing, who got a mail twice, and whether that could
 * be avoided.
 */
import type { Body, SinkLog } from "../test/support/sink/sink.ts";

/** From this time on a client could record nothing, because it or its database was killed. */
export type Cut = {
  readonly client: string;
  readonly atMs: number;
  /** For a client that lives on: copies of what it began later than this are not excused. */
  readonly upToMs?: number;
};

/** A time in which none of our processes ran, because the machine did something else. It counts for nothing. */
export type Stall = { readonly fromMs: number; readonly untilMs: number };

export type Circumstances = { readonly slack: number; readonly stalls?: readonly Stall[] };

export type Verdict = {
  /** The recipients without a copy. */
  readonly lost: readonly string[];
  /** The number of copies beyond each recipient's first. */
  readonly duplicates: number;
  /** The duplicates whose earlier copy was neither under way at a cut nor left without a reply. */
  readonly unexcused: readonly string[];
  /** The recipients who got copies that differ. */
  readonly altered: readonly string[];
  /** The number of bodies under way, over all cuts. */
  readonly onWire: number;
  /** The time between the oldest reply that wasn't recorded and its cut. */
  readonly oldestReplyMs: number;
  readonly connections: number;
  /** All that the client did against SMTP. */
  readonly faults: readonly string[];
};

/**
 * A body is under way from its first byte until its outcome is recorded. The log knows when it was replied to;
 * recording is grouped and takes a commit after that, which may take this long.
 */
const RECORDED_WITHIN_MS = 250;

export function judge(
  log: SinkLog,
  recipients: readonly string[],
  cuts: readonly Cut[],
  circumstances: Circumstances = { slack: 1 },
): Verdict {
  const cutsOf = Map.groupBy(cuts, ({ client }) => client);
  const cutOf = (body: Body) => cutsOf.get(body.client)?.find((cut) => isOnWireAt(body, cut, circumstances));
  const copiesOf = Map.groupBy(
    log.bodies.filter(({ taken }) => taken),
    ({ to }) => to,
  );
  const isOnWire = (body: Body) => cutOf(body) !== undefined;
  const repeated = [...copiesOf.values()].filter((copies) => copies.length > 1);
  const excusing = repeated.flatMap((copies) => copies.slice(0, -1)).filter(isOnWire);
  const ages = excusing.map((body) => {
    const { atMs = 0 } = cutOf(body) ?? {};
    return body.repliedMs === null ? 0 : ranMs(body.repliedMs, atMs, circumstances.stalls ?? []);
  });
  return {
    lost: recipients.filter((to) => !copiesOf.has(to)),
    duplicates: repeated.reduce((sum, copies) => sum + copies.length - 1, 0),
    unexcused: repeated.flatMap((copies) =>
      copies
        .slice(0, -1)
        .filter((body) => body.repliedMs !== null && !isOnWire(body))
        .map((body) => describe(body, copies, cutsOf.get(body.client) ?? [])),
    ),
    altered: repeated
      .filter((copies) => new Set(copies.map((one) => `${one.messageId} ${one.hash}`)).size > 1)
      .map(([first]) => first?.to ?? ""),
    onWire: log.bodies.filter(isOnWire).length,
    oldestReplyMs: Math.max(0, ...ages),
    connections: log.connections,
    faults: log.faults,
  };
}

function isOnWireAt(body: Body, cut: Cut, { slack, stalls = [] }: Circumstances): boolean {
  if (body.begunMs > (cut.upToMs ?? Infinity)) return false;
  if (body.repliedMs === null) return true;
  return ranMs(body.repliedMs, cut.atMs, stalls) < RECORDED_WITHIN_MS * slack;
}

/** Returns the time between two times without the stalls in between. */
export function ranMs(fromMs: number, untilMs: number, stalls: readonly Stall[]): number {
  const stalledMs = stalls.map((stall) =>
    Math.max(0, Math.min(untilMs, stall.untilMs) - Math.max(fromMs, stall.fromMs)),
  );
  return untilMs - fromMs - stalledMs.reduce((sum, ms) => sum + ms, 0);
}

function describe(body: Body, copies: readonly Body[], cuts: readonly Cut[]): string {
  const since = copies[0]?.begunMs ?? 0;
  const at = (ms: number | null | undefined) => (ms == null ? "never" : `+${Math.round(ms - since)} ms`);
  const told = copies.map((one) => `${one.client} began ${at(one.begunMs)}, replied ${at(one.repliedMs)}`);
  const cut = cuts.map(({ atMs }) => at(atMs)).join(", ") || "never";
  return `${body.to}: ${told.join("; ")}; ${body.client} was cut ${cut}`;
}

/** Returns, for each cut, how long after it the first body that was under way was begun again by another client. */
export function takeOversMs(log: SinkLog, cuts: readonly Cut[]): number[] {
  const byRecipient = Map.groupBy(log.bodies, ({ to }) => to);
  return cuts.flatMap((cut) => {
    const resentMs = log.bodies
      .filter((body) => body.client === cut.client && isOnWireAt(body, cut, { slack: 1 }))
      .flatMap(({ to }) => byRecipient.get(to) ?? [])
      .filter((body) => body.client !== cut.client && body.begunMs > cut.atMs)
      .map((body) => body.begunMs - cut.atMs);
    return resentMs.length > 0 ? [Math.min(...resentMs)] : [];
  });
}

/** Returns the most messages to these recipients that were under way at once. */
export function mostAtOnce(bodies: readonly Body[]): number {
  const steps = bodies.flatMap(({ rcptMs, repliedMs }) => [
    { atMs: rcptMs, by: 1 },
    { atMs: repliedMs ?? rcptMs, by: -1 },
  ]);
  steps.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of steps) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
