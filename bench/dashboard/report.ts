/**
 * Measures how long the report of a campaign of a million takes, by the API and in a browser, from the click in the list to its
 * numbers. No table has been analysed, as after a large send. Two thousand campaigns came before it.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { giveNumbers, LARGE, LETTER } from "../../test/support/sent-campaigns.ts";
import { until } from "../../test/support/until.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import type { Api } from "./browser-client.ts";
import { shown } from "./dashboard.ts";
import { startSignedIn } from "./signed-in.ts";

const ASKED_MS = 300;
const READS = 20;
const LIST = 1_000;
const EARLIER = 2_000;
const NAME = "A letter to a million";
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });

export const reportBench: Bench = {
  name: "report",
  summary: "the report of a campaign of a million recipients (--rows), by the API and in a browser",
  async *run(setting) {
    const { api, page, generated, databaseUrl, stop } = await startSignedIn(setting, {
      name: "report",
      people: LIST,
      roles: "api,jobs,sender,public",
    });
    const db = createDb({
      connection: databaseUrl,
      poolSize: 2,
      applicationName: "bench",
      log,
      statementTimeoutMs: 0,
    });
    try {
      const id = await sendLarge(setting, db, api, generated.listId);
      yield* measureApi(api, id);
      yield await measurePage(setting, page, api.baseUrl);
    } finally {
      await db.close();
      await stop();
    }
  },
};

/** Sends a campaign, and then writes what the senders and counters of a large one would have left. */
async function sendLarge(
  { sizes: { rows }, note }: Setting,
  db: Db,
  api: Api,
  listId: string,
): Promise<string> {
  const { id: account } = await api.send("GET", "/v1/account");
  const { id } = await api.send("POST", "/v1/campaigns", {
    name: NAME,
    list_id: listId,
    subject: "News",
    html: LETTER,
  });
  await api.send("POST", `/v1/campaigns/${id}/send`);
  await until(async () => (await api.send("GET", `/v1/campaigns/${id}`)).status === "sent");
  const [accountId, sourceId] = [fromPublicId("acc", account) ?? "", fromPublicId("cmp", id) ?? ""];
  await until(async () => {
    const kept = await db.many(sql`select from source_domains where source_id = ${sourceId}`);
    return kept.length > 0;
  });
  note(`${rows} rows of the ledger are written`);
  const times = rows / 481_494;
  const scale = (count: number) => Math.round(count * times);
  const domains = Object.fromEntries(
    Object.entries(LARGE.domains).map(([name, row]) => [
      name,
      row.map(scale) as [number, number, number, number],
    ]),
  );
  await giveNumbers({ db, accountId: account }, id, {
    ...LARGE,
    domains,
    hours: 24 * 28,
    hoursAgo: 24 * 30,
    unsubscribed: scale(LARGE.unsubscribed),
  });
  await db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, attempt, changed_at)
    select ${accountId}, ${sourceId}, gen_random_uuid(), 'campaign', ${sourceId}, 'sent', 1, now()
    from generate_series(1, ${rows}::int)`);
  await addFeedback(db, accountId, sourceId, Math.round(rows / 300));
  await addEarlier(db, accountId, sourceId);
  return id;
}

/** Bounces that came later, and complaints. */
async function addFeedback(db: Db, accountId: string, sourceId: string, count: number): Promise<void> {
  await db.execute(sql`
    insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at)
    select account_id, source_id, case when random() < 0.1 then 'complaint' else 'hard_bounce' end, contact_id, now(), now()
    from deliveries where account_id = ${accountId} and source_id = ${sourceId} limit ${count}`);
}

async function addEarlier(db: Db, accountId: string, sourceId: string): Promise<void> {
  await db.execute(sql`
    insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, list_id, on_ambiguous, launched_at)
    select account_id, made.id, made.id, stream, transport_id, 'finished', revision_id, list_id, on_ambiguous,
           launched_at - interval '1 day' * made.n
    from sources cross join (select gen_random_uuid() as id, n from generate_series(1, ${EARLIER}::int) as n) as made
    where account_id = ${accountId} and sources.id = ${sourceId}`);
  await db.execute(sql`
    insert into counters (account_id, source_id, worker_id, what, count)
    select s.account_id, s.id, c.worker_id, c.what, c.count
    from sources s join counters c on c.account_id = s.account_id and c.source_id = ${sourceId}
    where s.account_id = ${accountId} and s.id <> ${sourceId}`);
  await db.execute(sql`
    insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                 human_clicks, human_clickers, first_at, last_at)
    select s.account_id, s.id, '', e.opens, e.openers, e.human_opens, e.human_openers, e.clicks, e.clickers, e.human_clicks,
           e.human_clickers, e.first_at, e.last_at
    from sources s join engagement_sums e on e.account_id = s.account_id and e.source_id = ${sourceId} and e.part = ''
    where s.account_id = ${accountId} and s.id <> ${sourceId}`);
  await db.execute(sql`
    insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at)
    select s.account_id, s.id, 'hard_bounce', gen_random_uuid(), now(), now()
    from (select * from sources where account_id = ${accountId} and id <> ${sourceId} order by launched_at desc limit 10) as s
    cross join generate_series(1, 1000)`);
}

const PARTS = ["", "/timeseries?interval=day", "/links", "/domains", "/comparison"];

async function* measureApi(api: Api, id: string): AsyncIterable<Result> {
  for (const part of PARTS) {
    const times: number[] = [];
    for (let n = 0; n < READS; n++) {
      const started = performance.now();
      await api.send("GET", `/v1/campaigns/${id}/stats${part}`);
      times.push(performance.now() - started);
    }
    yield shown(`GET …/stats${part} of a million`, times, ASKED_MS);
  }
}

/** Clicks in the page itself, and waits until the last number of the funnel has been painted. */
const OPEN = `new Promise((resolve, reject) => {
  const started = performance.now();
  const over = setTimeout(() => reject(new Error("no numbers came")), 30000);
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[data-step="unsubscribed"]')) return;
    observer.disconnect();
    clearTimeout(over);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
  });
  observer.observe(document.querySelector("main"), { childList: true, subtree: true });
  [...document.querySelectorAll("main a")].find((one) => one.textContent.trim() === "${NAME}").click();
})`;

async function measurePage({ sizes: { rounds } }: Setting, page: Page, baseUrl: string): Promise<Result> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 1; round++) {
    await page.goto(`${baseUrl}/campaigns`);
    await page.getByRole("link", { name: NAME }).first().waitFor();
    await page.waitForLoadState("networkidle");
    const ms = await page.evaluate<number>(OPEN);
    // The first fetches the scripts of the page, which the browser then has.
    if (round > 0) times.push(ms);
    assert.ok(await page.locator('[data-step="clicks"]').innerText());
  }
  return shown("the report of a million, from the list to its numbers", times, ASKED_MS);
}
