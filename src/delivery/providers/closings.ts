/**
 * A sender's memory of the mailbox providers that are closed. It reads the closings of the accounts that it sends for once a second, and at once
 * when a notification says that one has changed; for each message it looks into a map, and asks nobody.
 */
import { providerOfDomain } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { createGroupCommit, type GroupCommit } from "../../platform/group-commit.ts";
import type { Log } from "../../platform/log.ts";
import { OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import { type ClosingCause, closeProvider, noteTaken } from "./close.ts";
import { afterOpeningMs, closeAgain, placeAt, SLOW_START_MS, SLOW_START_PLACES } from "./closing-rules.ts";
import { CLOSINGS_CHANGED, type Closing, type ClosingKey, drawPlaces, readRecent } from "./closing-store.ts";
import { createHeardDomains } from "./heard-domains.ts";
import { readProviderReply } from "./reply-rules.ts";

/** A message that goes, or is about to go, to a mailbox of a provider. */
export type Destination = {
  readonly accountId: string;
  readonly transportId: string;
  readonly provider: string;
  /** The recipient's domain, in lower case. */
  readonly domain: string;
};

/** What a server answered, as `transports` has it. */
type Answer = {
  readonly kind: string;
  readonly phase?: string;
  readonly code?: number | null;
  readonly enhanced?: string | null;
  readonly text?: string;
};

/** Something that keeps a message from being sent now. */
export type HeldByProvider = {
  /** Draws the message's place among those that wait, and resolves to the time at which it is sent. */
  dueAt(): Promise<Date>;
  /** Says whether others have all places of the slow beginning, or as many as the provider may be given today. */
  isBehind(left: number | undefined): boolean;
  /** Returns when mails go that have no place: when the slow beginning is over. */
  begunAt(): Date;
};

export type ProviderClosings = {
  /** Says that batches of this account are being sent. Resolves once what is closed for it is known. */
  begin(accountId: string): Promise<void>;
  end(accountId: string): void;
  /**
   * Says whether a message must wait. Before its domain in From is known, only what is closed for all domains counts. One that `isDue` has waited for
   * its place, and goes while a provider that has opened begins slowly.
   */
  holding(to: Destination, fromDomain: string | undefined, isDue: boolean): HeldByProvider | undefined;
  /** Takes a server's answer to heed. Returns the time before which the provider gets nothing, where it closed because of this answer. */
  hear(to: Destination, fromDomain: string, answer: Answer, beganMs: number): Date | undefined;
  /** Closes the provider for this sender's domain because it refuses everything that others take. */
  closeForRefusals(to: Destination, fromDomain: string, reply: string | null): void;
  stop(): Promise<void>;
};

const READ_EVERY_MS = 1_000;
/** Clocks of several machines differ, and what comes too soon would have to wait once more. */
const BEGUN_MS = SLOW_START_MS + 1_000;
const REFUSALS_MS = 3_600_000;

type Known = {
  readonly closing: Closing;
  /** When it opens, by the monotonic clock, so that a clock that is set back closes nothing for longer. */
  readonly openMs: number;
  readonly places: GroupCommit<null, number>;
  /** How many places have been given, as far as this sender knows, with those that it is asking for. */
  placed: number;
  isTaken: boolean;
  /** Whether this sender has closed it and that isn't written yet. */
  isUnwritten: boolean;
};

type Options = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: Pick<Listener, "listen">;
  /** Repeats a write while the database is away. */
  readonly insist: <T>(write: () => Promise<T>) => Promise<T>;
};

export function createProviderClosings({ db, clock, log, listener, insist }: Options): ProviderClosings {
  const known = new Map<string, readonly Known[]>();
  const underWay = new Map<string, number>();
  /** The accounts whose closings were read last, and when. */
  let readFor: ReadonlySet<string> = new Set();
  let readMs = Number.NEGATIVE_INFINITY;
  let reads = 0;
  let adopted = 0;
  let isReading = false;
  let isStale = false;
  const writing = new Set<Promise<void>>();
  const heard = createHeardDomains(() => clock.monotonicMs());
  const timer = setInterval(() => underWay.size > 0 && void refresh(), READ_EVERY_MS);
  timer.unref();
  listener.listen(CLOSINGS_CHANGED, () => underWay.size > 0 && void refresh());

  /** Reads at once, and once more where something may have changed since a reading began. It never rejects. */
  async function refresh(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale) {
      isStale = false;
      // Without the database nothing is admitted either.
      await read().catch(() => undefined);
    }
    isReading = false;
  }

  async function read(): Promise<void> {
    const accounts = [...underWay.keys()];
    const beganMs = clock.monotonicMs();
    const since = new Date(clock.now().getTime() - SLOW_START_MS);
    const read = ++reads;
    const rows = await readRecent(db, accounts, since);
    // An answer that came later than that of a younger question is older than what is known.
    if (read < adopted) return;
    adopted = read;
    adopt(rows);
    readFor = new Set(accounts);
    readMs = beganMs;
  }

  function adopt(rows: readonly Closing[]): void {
    const before = [...known.values()].flat();
    known.clear();
    for (const row of rows) {
      const same = before.find(({ closing }) => isSame(closing, row));
      remember(same && !same.isUnwritten ? same : start(row, false));
    }
    for (const one of before)
      if (one.isUnwritten && !rows.some((row) => isSame(row, one.closing) && row.until >= one.closing.until))
        remember(one);
  }

  function start(closing: Closing, isUnwritten: boolean): Known {
    const { closedAt, until, takenAt } = closing;
    const leftMs = until.getTime() - clock.now().getTime();
    const openMs = clock.monotonicMs() + Math.min(leftMs, until.getTime() - closedAt.getTime());
    const places = createGroupCommit<null, number>(
      async (group) => {
        const least = placeAt(clock.monotonicMs() - openMs);
        const first = await insist(() => drawPlaces(db, closing, { count: group.length, least }));
        one.placed = Math.max(one.placed, first + group.length);
        return group.map((_, at) => first + at);
      },
      { most: 1_000 },
    );
    const one: Known = { closing, openMs, places, placed: 0, isTaken: takenAt !== null, isUnwritten };
    return one;
  }

  function remember(one: Known): void {
    const key = keyOf(one.closing);
    const others = (known.get(key) ?? []).filter(
      ({ closing }) => closing.fromDomain !== one.closing.fromDomain,
    );
    known.set(key, [...others, one]);
  }

  /** Returns the closings that hold, or held lately, for a message. */
  function applying(to: Destination, domain: string | undefined): readonly Known[] {
    if (known.size === 0 || to.provider === OTHER_PROVIDER) return NONE;
    const own = known.get(keyOf(to));
    const shared = to.transportId === INSTANCE_TRANSPORT ? known.get(keyOf(sharedBy(to))) : undefined;
    if (!own && !shared) return NONE;
    const isMeant = ({ closing: { fromDomain } }: Known) => fromDomain === "" || fromDomain === domain;
    return [...(own ?? NONE), ...(shared ?? NONE)].filter(isMeant);
  }

  function close(to: Destination, key: ClosingKey, cause: ClosingCause): Known {
    const now = clock.now();
    const before = known.get(keyOf(key))?.find(({ closing }) => closing.fromDomain === key.fromDomain);
    const closed = closeAgain(before?.closing, cause.closeMs, now);
    if (before && !closed) return before;
    const { reason, reply, toldBy } = cause;
    const told = { reason, reply, toldBy, metBy: to.accountId, takenAt: null };
    const one = start({ ...key, ...(closed ?? { closedAt: now, until: now, times: 1 }), ...told }, true);
    remember(one);
    const written = write(to.accountId, (ctx) => closeProvider(ctx, key, cause), "a closing");
    void written.then(() => {
      one.isUnwritten = false;
      void refresh();
    });
    return one;
  }

  function write(
    accountId: string,
    work: (ctx: Parameters<typeof closeProvider>[0]) => Promise<unknown>,
    what: string,
  ): Promise<void> {
    const all = insist(() => db.transaction((tx) => work(systemCtx({ clock, log }, tx, accountId)))).then(
      () => undefined,
      (error) => log.error({ err: error }, `${what} could not be written`),
    );
    writing.add(all);
    return all.finally(() => writing.delete(all));
  }

  /** A report that comes later told of it where the server itself takes everything, so that its taking says nothing. */
  function heedTaken(to: Destination, fromDomain: string, beganMs: number): void {
    for (const one of applying(to, fromDomain)) {
      const { closing, openMs } = one;
      if (one.isTaken || one.isUnwritten || closing.toldBy === "report" || beganMs < openMs) continue;
      one.isTaken = true;
      void write(closing.metBy, (ctx) => noteTaken(ctx, closing), "what a provider took");
    }
  }

  return {
    async begin(accountId) {
      underWay.set(accountId, (underWay.get(accountId) ?? 0) + 1);
      if (readFor.has(accountId) && clock.monotonicMs() - readMs < READ_EVERY_MS) return;
      await read();
    },
    end(accountId) {
      const left = (underWay.get(accountId) ?? 1) - 1;
      if (left > 0) underWay.set(accountId, left);
      else underWay.delete(accountId);
    },
    holding(to, fromDomain, isDue) {
      if (known.size === 0) return undefined;
      const nowMs = clock.monotonicMs();
      const holds = applying(to, fromDomain).filter(
        ({ openMs }) => nowMs < openMs || (!isDue && nowMs < openMs + SLOW_START_MS),
      );
      const last = holds.reduce<Known | undefined>(
        (one, other) => (one && one.openMs >= other.openMs ? one : other),
        undefined,
      );
      return (
        last && {
          async dueAt() {
            last.placed++;
            const afterMs = afterOpeningMs(await last.places.add(null));
            return new Date(clock.now().getTime() + last.openMs - clock.monotonicMs() + afterMs);
          },
          isBehind(left = SLOW_START_PLACES) {
            const over = placeAt(clock.monotonicMs() - last.openMs);
            const next = Math.max(last.placed, over);
            return next >= SLOW_START_PLACES || next - over >= left;
          },
          begunAt: () => new Date(clock.now().getTime() + last.openMs - clock.monotonicMs() + BEGUN_MS),
        }
      );
    },
    hear(to, fromDomain, answer, beganMs) {
      if (to.provider === OTHER_PROVIDER) return undefined;
      if (answer.kind === "accepted") {
        if (known.size > 0) heedTaken(to, fromDomain, beganMs);
        return undefined;
      }
      if (answer.kind !== "deferred" && answer.kind !== "rejected") return undefined;
      const { phase = "", code = null, enhanced = null, text = "" } = answer;
      const meaning = readProviderReply({ provider: to.provider, code, enhanced, text, phase });
      if (!meaning) return undefined;
      const key = meaning.scope === "transport" ? ofTransport(to) : ofDomain(to, fromDomain);
      const { reason, closeMs, alert, domains } = meaning;
      if (domains > 1 && heard.hear(`${keyOf(key)} ${key.fromDomain} ${reason}`, to.domain) < domains)
        return undefined;
      const cause = { reason, closeMs, alert, reply: withoutAddresses(text), toldBy: "session" } as const;
      const { openMs } = close(to, key, cause);
      return new Date(clock.now().getTime() + Math.max(0, openMs - clock.monotonicMs()));
    },
    closeForRefusals(to, fromDomain, reply) {
      const said = reply === null ? null : withoutAddresses(reply);
      const cause = {
        reason: "refusals",
        closeMs: REFUSALS_MS,
        alert: true,
        reply: said,
        toldBy: "refusals",
      } as const;
      close(to, ofDomain(to, fromDomain), cause);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(writing);
    },
  };
}

const NONE: readonly Known[] = [];

function keyOf({ accountId, transportId, provider }: Omit<ClosingKey, "fromDomain">): string {
  return `${accountId} ${transportId} ${provider}`;
}

const sharedBy = ({ provider }: Destination) => ({
  accountId: INSTANCE_TRANSPORT,
  transportId: INSTANCE_TRANSPORT,
  provider,
});

/**
 * The instance's server has one address for all its accounts. But anybody may own a domain whose MX records name a provider and a server of his
 * own: only what is said of the provider's own domains closes it for all, and what is said of others, for the account whose mail met it.
 */
function ofTransport(to: Destination): ClosingKey {
  const { accountId, transportId, provider, domain } = to;
  const isShared = transportId === INSTANCE_TRANSPORT && providerOfDomain(domain)?.key === provider;
  return isShared
    ? { ...sharedBy(to), fromDomain: "" }
    : { accountId, transportId, provider, fromDomain: "" };
}

function ofDomain({ accountId, transportId, provider }: Destination, fromDomain: string): ClosingKey {
  return { accountId, transportId, provider, fromDomain };
}

function isSame(one: Closing, other: Closing): boolean {
  return (
    keyOf(one) === keyOf(other) &&
    one.fromDomain === other.fromDomain &&
    one.until.getTime() === other.until.getTime()
  );
}

const LONGEST_REPLY = 500;

/** What a server says often names the recipient, and a closing is shown to others than those who may see recipients. */
export function withoutAddresses(reply: string): string {
  return reply
    .replaceAll(/[^\s<>"'(,;:]{1,320}@[^\s<>"'),;:]{1,255}/gu, "(address)")
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, LONGEST_REPLY);
}
