/**
 * Opens, clicks and unsubscribes while the database is away, and while the process that answers them is killed. The judge is whoever
 * asked: what was answered must be counted, once. Every hit has a recipient of its own, so that each can be told apart.
 */
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import { median, percentile99 } from "../bench/harness/numbers.ts";
import { createLinkTokens } from "../src/messages/messages.ts";
import { type Db, sql } from "../src/platform/db/db.ts";
import { agreeOnSecrets } from "../src/platform/instance.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { createApp, WITH_UNSUBSCRIBE } from "../test/support/app.ts";
import { act, makeCampaign, readCampaign } from "../test/support/campaigns.ts";
import { createDatabaseProxy } from "../test/support/database-proxy.ts";
import { makeInstallation, type Service } from "../test/support/process.ts";
import { createRandom } from "../test/support/sink/sink.ts";
import { addSubscriber, makeList, uuidOf } from "../test/support/subscribers.ts";
import { until } from "../test/support/until.ts";
import { exactly, type Fault, type Setting } from "./fault.ts";

export const trackingFault: Fault = {
  name: "tracking",
  summary: "opens, clicks and unsubscribes without a database, and with their process killed",
  async *run(setting) {
    yield* loseDatabaseUnderHits(setting, { seconds: 20, hitsPerSecond: 500, unsubscribes: 50 });
    yield* killUnderHits(setting, { kills: setting.full ? 50 : 10 });
  },
};

const SECRET_KEY = "a secret key for tests of 32 characters or more";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
const LOOPS = 32;
/** What a process that was killed has on disk is taken up after 20 s; hits settle for 10 s before they are counted. */
const COUNTED_WITHIN_MS = 90_000;

/** Takes the database away from the process that answers, for so long, under a steady rate of hits. */
export async function* loseDatabaseUnderHits(
  setting: Setting,
  sizes: { readonly seconds: number; readonly hitsPerSecond: number; readonly unsubscribes: number },
): AsyncIterable<Result> {
  // The rate is kept up for two seconds after the database is back, and one hit comes before.
  const site = await openSite(sizes.unsubscribes, sizes.hitsPerSecond * (sizes.seconds + 3));
  try {
    const address = await site.start().ready();
    const hits = createHits(site, address, setting.seed);
    // A link that was followed once is known without the database.
    await hits.click();
    await site.proxy.cut();
    const startedMs = performance.now();
    const awayMs = sizes.seconds * 1_000;
    const hitting = hits.steadily(sizes.hitsPerSecond, awayMs + 2_000);
    const leaving = site.contacts.map(async (contactId, n) => {
      await sleep((n * awayMs) / site.contacts.length);
      return ask(address, `/u/${site.tokenOf(contactId)}`, "POST");
    });
    const left = await Promise.all(leaving);
    await sleep(Math.max(0, startedMs + awayMs - performance.now()));
    await site.proxy.restore();
    await hitting;
    setting.note(`the database was away for ${sizes.seconds} s under ${hits.sent.size} hits`);
    const counted = await site.counted(hits.answered.size);
    const name = `database away for ${sizes.seconds} s`;
    const times = hits.times();
    const waits = `answers within ${median(times).toFixed(0)} ms (median) and ${percentile99(times).toFixed(0)} ms (p99)`;
    const rate = `${hits.sent.size} hits at ${sizes.hitsPerSecond} a second`;
    yield exactly(`${name}: hits without an answer`, hits.sent.size - hits.answered.size, 0, "hits", [
      rate,
      waits,
    ]);
    yield* judgeHits(name, hits, counted);
    yield exactly(
      `${name}: unsubscribes answered with 2xx`,
      left.filter((status) => status !== undefined && status >= 200 && status < 300).length,
      site.contacts.length,
      "unsubscribes",
    );
    await until(async () => (await site.unsubscribed()).people === site.contacts.length, 30_000).catch(
      () => undefined,
    );
    const { people, events } = await site.unsubscribed();
    yield exactly(`${name}: unsubscribes carried out`, people, site.contacts.length, "people");
    yield exactly(`${name}: events of them`, events, site.contacts.length, "events");
  } finally {
    await site.stop();
  }
}

/** Kills the process that answers at random moments under as many hits as it can take, every third time without a database. */
export async function* killUnderHits(
  setting: Setting,
  sizes: { readonly kills: number },
): AsyncIterable<Result> {
  const site = await openSite(1, Math.min(MOST_READERS, sizes.kills * MOST_HITS_BEFORE_KILL));
  const random = createRandom(setting.seed);
  try {
    const all = createHits(site, "", setting.seed);
    for (let n = 0; n < sizes.kills; n++) {
      const service = site.start();
      const hits = createHits(site, await service.ready(), setting.seed + n, all);
      await hits.click();
      const isAway = n % 3 === 2;
      if (isAway) await site.proxy.cut();
      const before = all.answered.size;
      const killed = new AbortController();
      const hitting = Array.from({ length: LOOPS }, () => hits.until(killed.signal));
      await until(() => all.answered.size > before + LOOPS, 20_000);
      await sleep(random() * 500);
      process.kill(service.nodePid(), "SIGKILL");
      await service.ended;
      killed.abort();
      await Promise.all(hitting);
      if (isAway) await site.proxy.restore();
      setting.note(
        `killed after ${all.answered.size - before} answers${isAway ? ", without a database" : ""}`,
      );
    }
    await site.start().ready();
    const counted = await site.counted(all.answered.size);
    const name = `killed ${sizes.kills} times`;
    yield* judgeHits(name, all, counted);
    const unknown = [...counted.keys()].filter((contactId) => !all.sent.has(contactId));
    yield exactly(`${name}: hits that nobody made`, unknown.length, 0, "hits");
  } finally {
    await site.stop();
  }
}

function* judgeHits(
  name: string,
  { sent, answered }: Pick<Hits, "sent" | "answered">,
  counted: ReadonlyMap<string, number>,
): Iterable<Result> {
  const lost = [...answered].filter((contactId) => !counted.has(contactId));
  const doubled = [...counted.values()].filter((times) => times > 1);
  const more = `${counted.size - (answered.size - lost.length)} of ${sent.size - answered.size} without an answer are counted too`;
  yield exactly(`${name}: answered and not counted`, lost.length, 0, "hits", [
    `${answered.size} were answered`,
    more,
  ]);
  yield exactly(`${name}: counted twice`, doubled.length, 0, "hits");
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** Opens an instance with a campaign that was sent to so many people, and so many readers who hit its links. Only `start` starts a process that answers its links. */
async function openSite(people: number, readerCount: number) {
  const installation = makeInstallation();
  const app = await createApp({
    settings: { ROLES: "api,sender,jobs", SECRET_KEY },
    served: WITH_UNSUBSCRIBE,
    logLevel: "silent",
  });
  const proxy = await createDatabaseProxy(app.databaseUrl);
  const listId = await makeList(app, { postal_address: "1 High Street, London N1 1AA" });
  for (let n = 0; n < people; n++) await addSubscriber(app, listId, `person${n}@away.example`);
  const html = '<p><a href="https://example.com/x">x</a></p>';
  const { id } = await makeCampaign(app, listId, { html });
  await act(app, id, "send");
  await until(async () => (await readCampaign(app, id))["status"] === "sent", 60_000);
  const source = await app.db.one<{ id: string; accountId: string }>(
    sql`select id, account_id as "accountId" from sources where owner_id = ${uuidOf("cmp", id)}`,
  );
  const rows = await app.db.many<{ contact: string }>(
    sql`select contact_id as contact from deliveries where source_id = ${source.id}`,
  );
  const readers = await addReaders(app.db, source.accountId, uuidOf("lst", listId), readerCount);
  const { linkKey } = await agreeOnSecrets(app.db, createSecrets([SECRET_KEY]));
  return {
    proxy,
    contacts: rows.map(({ contact }) => contact),
    /** Returns a recipient who has hit nothing yet. */
    nextReader(): string {
      const reader = readers.pop();
      if (!reader) throw new Error(`there are only ${readerCount} who can hit something`);
      return reader;
    },
    tokenOf: createLinkTokens(linkKey).makerFor(source.accountId, source.id),
    start: (): Service =>
      installation.start({
        via: "node",
        env: { ROLES: "public", DATABASE_URL: proxy.url, SECRET_KEY, LOG_FORMAT: "json" },
      }),
    counted: (least: number) => readCounted(app.db, source.id, least),
    unsubscribed: () => readUnsubscribed(app.db, uuidOf("lst", listId)),
    async stop() {
      await installation.clear();
      await proxy.close();
      await app.stop();
    },
  };
}

const MOST_READERS = 100_000;
/** A process answers some 4,000 hits a second, and is killed within a second of them. */
const MOST_HITS_BEFORE_KILL = 10_000;

/** Adds people to the list who need no mail to hit its links: a hit of nobody's would be counted without a name. */
async function addReaders(db: Db, accountId: string, listId: string, count: number): Promise<string[]> {
  const rows = await db.many<{ contact: string }>(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    select ${accountId}, gen_random_uuid(), ${listId}, gen_random_uuid(), 'reader' || n || '@away.example',
           'reader' || n || '@away.example', '{}', 'active', 'faults', now(), now()
    from generate_series(1, ${count}::int) as n returning contact_id as contact`);
  return rows.map(({ contact }) => contact);
}

/** Returns how often each recipient was counted, once at least so many are and nothing waits any more. */
async function readCounted(db: Db, sourceId: string, least: number): Promise<ReadonlyMap<string, number>> {
  const isDone = async () => {
    const { counted, waiting } = await db.one<{ counted: number; waiting: number }>(sql`
      select (select count(*)::int from counted_hits where source_id = ${sourceId}) as counted,
             (select count(*)::int from hits) as waiting`);
    return counted >= least && waiting === 0;
  };
  // Where something is lost, that never comes true: then what is missing is named.
  await until(isDone, COUNTED_WITHIN_MS).catch(() => undefined);
  const rows = await db.many<{ contact: string; times: number }>(sql`
    select contact_id as contact, sum(times)::int as times from counted_hits where source_id = ${sourceId}
    group by contact_id`);
  return new Map(rows.map(({ contact, times }) => [contact, times]));
}

function readUnsubscribed(db: Db, listId: string): Promise<{ people: number; events: number }> {
  return db.one(sql`
    select (select count(*)::int from subscribers where list_id = ${listId} and status = 'unsubscribed') as people,
           (select count(*)::int from events where type = 'subscriber.unsubscribed') as events`);
}

type Hits = {
  /** Whom a hit was made for, and for whom it was answered as it should be. */
  readonly sent: Set<string>;
  readonly answered: Set<string>;
  /** The milliseconds until each answer. */
  times(): number[];
  click(): Promise<void>;
  steadily(perSecond: number, forMs: number): Promise<void>;
  /** Hits again and again, until the signal says that the process is gone. */
  until(signal: AbortSignal): Promise<void>;
};

function createHits(site: Site, address: string, seed: number, all?: Pick<Hits, "sent" | "answered">): Hits {
  const random = createRandom(seed);
  const sent = all?.sent ?? new Set<string>();
  const answered = all?.answered ?? new Set<string>();
  const times: number[] = [];

  async function hit(isClick: boolean): Promise<void> {
    const contactId = site.nextReader();
    const token = site.tokenOf(contactId);
    sent.add(contactId);
    const startedMs = performance.now();
    const status = await ask(address, isClick ? `/c/${token}/0` : `/o/${token}`, "GET");
    if (status !== (isClick ? 302 : 200)) return;
    times.push(performance.now() - startedMs);
    answered.add(contactId);
  }

  return {
    sent,
    answered,
    times: () => times,
    click: () => hit(true),
    async steadily(perSecond, forMs) {
      const startedMs = performance.now();
      const waiting: Promise<void>[] = [];
      for (let now = startedMs; now < startedMs + forMs; now = performance.now()) {
        const due = ((now - startedMs) * perSecond) / 1_000;
        while (waiting.length < due) waiting.push(hit(random() < 0.5));
        await sleep(5);
      }
      await Promise.all(waiting);
    },
    async until(signal) {
      while (!signal.aborted) await hit(random() < 0.5);
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Returns the status, or undefined where there was no whole answer. */
function ask(address: string, path: string, method: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const body = method === "POST" ? "List-Unsubscribe=One-Click" : "";
  const headers = {
    "user-agent": BROWSER,
    ...(body && { "content-type": "application/x-www-form-urlencoded", "content-length": body.length }),
  };
  const request = httpRequest(`${address}${path}`, { agent, method, headers }, (response) => {
    response
      .resume()
      .once("end", () => resolve(response.statusCode))
      .once("error", () => resolve(undefined));
  });
  request.once("error", () => resolve(undefined)).end(body);
  return promise;
}
