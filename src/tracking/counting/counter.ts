/**
 * Counts hits: takes them out of the inbox a slice at a time, says of each whether it was a person's, and adds it to all numbers
 * in one transaction. So the numbers equal a recount at any instant, and a process that dies has counted a slice or not.
 */
import { findBeingDeleted } from "../../accounts/accounts.ts";
import { type MailEvidence, settleByEvidence } from "../../delivery/delivery.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import type { Log } from "../../platform/log.ts";
import { type Hit, takeHits } from "../hits/hits.ts";
import type { CountedLinks } from "../links/links.ts";
import {
  addHit,
  addSums,
  type CountedHit,
  clicksOf,
  earlier,
  later,
  NO_ENGAGEMENT,
  NO_SUMS,
  type Sums,
  sumsOf,
} from "./count.ts";
import {
  type Addition,
  addToSources,
  insertCounted,
  type LinkRow,
  type MessageKey,
  type MessageRow,
  type Part,
  readLinks,
  readMessages,
  writeLinks,
  writeMessages,
} from "./count-store.ts";
import { placeInDomains } from "./domains.ts";
import type { WriteEngagement } from "./engagement.ts";
import { type First, type IdsInEvents, isFirst, recordFirsts } from "./first-events.ts";
import { countInFlows, placeInFlows } from "./flows.ts";
import { forgetPeople } from "./forget-people.ts";
import { createUrlSums, type UrlSums } from "./url-sums.ts";

/** Says of each hit why it is a machine's, or '' where it is a person's. */
type Classify = (tx: Tx, hits: readonly Hit[]) => Promise<readonly string[]>;

/** Takes the contact off those hits that may not be recorded as anybody's. */
type WithoutUntracked = (tx: Tx, hits: readonly CountedHit[]) => Promise<readonly CountedHit[]>;

/** So many hits of people are counted in one transaction, and as many of nobody in particular. */
const SLICE = 20_000;
const EVERY_MS = 1_000;
const SAID_EVERY_MS = 60_000;
/** A message's hits wait until there was none for so long: a burst, and what a machine did before it, is judged as a whole. */
const SETTLE_MS = 10_000;

export type CounterOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly classify: Classify;
  readonly withoutUntracked: WithoutUntracked;
  readonly countedLinks: CountedLinks;
  readonly writeEngagement: WriteEngagement;
  readonly idsInEvents: IdsInEvents;
};

export function startCounter(options: CounterOptions): { stop(): Promise<void> } {
  let isStopping = false;
  let counting: Promise<void> | undefined;
  const complain = createComplaint(options);
  const timer = setInterval(() => {
    counting ??= countAll(options, () => isStopping)
      .catch(complain)
      .finally(() => {
        counting = undefined;
      });
  }, EVERY_MS);
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await counting;
    },
  };
}

/** A database that is away is told of by others. One that is too busy for a slice may be so for every one. */
function createComplaint({ clock, log }: CounterOptions): (error: unknown) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    const kind = error instanceof DbError ? error.kind : undefined;
    if (kind === "unavailable") return;
    if (kind !== "busy") return log.error({ err: error }, "opens and clicks could not be counted");
    const nowMs = clock.monotonicMs();
    if (nowMs - saidAtMs < SAID_EVERY_MS) return;
    saidAtMs = nowMs;
    log.warn({ err: error }, "opens and clicks could not be counted in time; trying again");
  };
}

async function countAll(options: CounterOptions, isStopping: () => boolean): Promise<void> {
  for (let hasMore = true; hasMore && !isStopping(); ) {
    const [slice] = await Promise.allSettled([countSlice(options)]);
    // In turns, so that nobody who refuses waits for a rush of hits to end, nor for a slice that can't be counted.
    const hasMorePeople = await forgetPeople(options);
    if (slice.status === "rejected") throw slice.reason;
    hasMore = hasMorePeople || slice.value >= SLICE;
  }
}

/** Counts one slice, and answers how many hits it had. */
export function countSlice(options: CounterOptions, settleMs = SETTLE_MS): Promise<number> {
  const { db, clock, ...more } = options;
  const before = new Date(clock.now().getTime() - settleMs);
  return db.transaction(async (tx) => {
    const taken = await takeHits(tx, before, SLICE);
    const hits = taken.length > 0 ? await withoutDeleted(tx, taken) : taken;
    if (hits.length === 0) return taken.length;
    const machines = await more.classify(tx, hits);
    const judged = hits.map((hit, index): CountedHit => ({ ...hit, machine: machines[index] ?? "" }));
    const counted = await more.withoutUntracked(tx, judged);
    await insertCounted(tx, counted);
    const urls = createUrlSums(await more.countedLinks(tx, hits));
    const firsts = await addAll(tx, counted, urls);
    await more.writeEngagement(tx, counted);
    await recordFirsts(tx, options, firsts);
    await settleByEvidence(tx, options.clock, firsts.flatMap(evidenceOf));
    return taken.length;
  });
}

/** Leaves out hits of accounts whose deletion has begun: old mail is opened for years, and nothing may be written for them any more. */
async function withoutDeleted(tx: Tx, hits: readonly Hit[]): Promise<readonly Hit[]> {
  const gone = await findBeingDeleted(
    tx,
    hits.map(({ accountId }) => accountId),
  );
  return gone.size === 0 ? hits : hits.filter(({ accountId }) => !gone.has(accountId));
}

/** What a person opened or clicked has arrived, whatever its sender knew. */
function evidenceOf({ hit }: First): MailEvidence[] {
  const { accountId, sourceId, contactId, link, machine } = hit;
  if (contactId === null || machine !== "") return [];
  return [{ accountId, sourceId, contactId, by: link === null ? "open" : "click" }];
}

/** Answers which of them were the first of their kind, in the order of time. */
async function addAll(tx: Tx, hits: readonly CountedHit[], urls: UrlSums): Promise<readonly First[]> {
  const additions = createAdditions();
  const firsts: First[] = [];
  const personal = hits
    .filter((hit) => hit.contactId !== null)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  for (const hit of hits) additions.add(hit, `quarter ${quarterOf(hit.at)}`, sumsOfHit(hit));
  for (const hit of hits) if (hit.contactId === null) addAnonymous(additions, hit, urls);
  const keys = distinctKeys(personal);
  if (keys.length > 0) {
    await addMessages(tx, keys, personal, additions, firsts);
    await addLinks(tx, keys, personal, { additions, firsts, urls });
  }
  await addToSources(tx, additions.all());
  return firsts;
}

/** A hit by itself: nobody can say whether it was somebody's first, and a click is no second hit of the pixel. */
function sumsOfHit({ link, times, machine }: CountedHit): Sums {
  const human = machine === "" ? times : 0;
  return link === null
    ? { ...NO_SUMS, opens: times, humanOpens: human }
    : { ...NO_SUMS, clicks: times, humanClicks: human };
}

/** Mail that is tracked for nobody has totals only: nobody can say how many people there were, nor at which domain. */
function addAnonymous(additions: Additions, hit: CountedHit, urls: UrlSums): void {
  additions.add(hit, "", sumsOfHit(hit));
  if (hit.link !== null) additions.add(hit, `link ${hit.link}`, sumsOfHit(hit));
  const url = urls.partOf(hit);
  if (url) additions.add(hit, url, sumsOfHit(hit));
}

async function addMessages(
  tx: Tx,
  keys: readonly MessageKey[],
  hits: readonly CountedHit[],
  additions: Additions,
  firsts: First[],
): Promise<void> {
  const known = new Map((await readMessages(tx, keys)).map((row) => [keyOf(row), row]));
  const placed = await placeInDomains(
    tx,
    keys,
    keys.map((key) => known.get(keyOf(key))),
  );
  const domains = new Map(keys.map((key, index) => [keyOf(key), placed[index] ?? ""]));
  const flows = await placeInFlows(
    tx,
    keys.filter((key) => !known.has(keyOf(key))),
  );
  const changed = new Map<string, MessageRow>();
  for (const hit of hits) {
    const key = keyOf(hit);
    const domain = domains.get(key) ?? "";
    const before = changed.get(key) ?? known.get(key) ?? { ...NO_ENGAGEMENT, domain: null, ...flows.of(hit) };
    const { flowId, mailedAt } = before;
    const after = { ...addHit(before, hit), ...messageKeyOf(hit), domain, flowId, mailedAt };
    changed.set(key, after);
    const [sumsBefore, sums] = [sumsOf(before), sumsOf(after)];
    if (isFirst(opensOf(sumsBefore), opensOf(sums))) firsts.push({ type: "email.opened", hit });
    additions.add(hit, "", addSums(sums, sumsBefore, -1));
    // A message that was counted before domains were comes into its domain as a whole.
    additions.add(hit, `domain ${domain}`, addSums(sums, before.domain === null ? NO_SUMS : sumsBefore, -1));
  }
  await writeMessages(tx, [...changed.values()]);
  await countInFlows(
    tx,
    [...changed].map(([key, after]) => [known.get(key), after]),
  );
}

async function addLinks(
  tx: Tx,
  keys: readonly MessageKey[],
  hits: readonly CountedHit[],
  { additions, firsts, urls }: { additions: Additions; firsts: First[]; urls: UrlSums },
): Promise<void> {
  const clicks = hits.filter((hit) => hit.link !== null);
  if (clicks.length === 0) return;
  const rows = await readLinks(tx, keys);
  const known = new Map(rows.map((row) => [`${keyOf(row)} ${row.link}`, row]));
  urls.begin(rows);
  const changed = new Map<string, LinkRow>();
  for (const hit of clicks) {
    const link = hit.link as number;
    const key = `${keyOf(hit)} ${link}`;
    const before = changed.get(key) ?? known.get(key) ?? { clicks: 0, humanClicks: 0, firstAt: null };
    const human = hit.machine === "" ? hit.times : 0;
    const after = {
      clicks: before.clicks + hit.times,
      humanClicks: before.humanClicks + human,
      firstAt: earlier(before.firstAt, hit.at),
    };
    changed.set(key, { ...messageKeyOf(hit), link, ...after });
    if (isFirst(tallyOf(before), tallyOf(after))) firsts.push({ type: "email.clicked", hit });
    additions.add(hit, `link ${link}`, addSums(clicksOf(after), clicksOf(before), -1));
    const url = urls.add(hit);
    if (url) additions.add(hit, url.part, addSums(clicksOf(url.after), clicksOf(url.before), -1));
  }
  await writeLinks(tx, [...changed.values()]);
}

function opensOf({ openers, humanOpeners }: Sums) {
  return { all: openers, human: humanOpeners };
}

function tallyOf({ clicks, humanClicks }: Pick<LinkRow, "clicks" | "humanClicks">) {
  return { all: clicks, human: humanClicks };
}

type Additions = {
  add(hit: CountedHit, part: Part, sums: Sums): void;
  all(): Addition[];
};

function createAdditions(): Additions {
  const byKey = new Map<string, Addition>();
  return {
    add(hit, part, sums) {
      const { accountId, sourceId, at } = hit;
      const key = `${sourceId} ${part}`;
      const known = byKey.get(key);
      const lastClickAt =
        hit.link === null ? (known?.lastClickAt ?? null) : later(known?.lastClickAt ?? null, at);
      byKey.set(key, {
        accountId,
        sourceId,
        part,
        sums: addSums(known?.sums ?? NO_SUMS, sums),
        firstAt: earlier(known?.firstAt ?? null, at),
        lastAt: later(known?.lastAt ?? null, at),
        lastClickAt,
      });
    },
    all: () => [...byKey.values()],
  };
}

const QUARTER_MS = 15 * 60_000;

function quarterOf(at: Date): string {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS).toISOString();
}

function keyOf({
  accountId,
  sourceId,
  contactId,
}: Pick<CountedHit, "accountId" | "sourceId" | "contactId">): string {
  return `${accountId} ${sourceId} ${contactId}`;
}

function messageKeyOf({ accountId, sourceId, contactId }: CountedHit): MessageKey {
  return { accountId, sourceId, contactId: contactId as string };
}

function distinctKeys(hits: readonly CountedHit[]): MessageKey[] {
  return [...new Map(hits.map((hit) => [keyOf(hit), messageKeyOf(hit)])).values()];
}
