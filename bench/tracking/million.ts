/**
 * Stores and counts a million opens and clicks of one campaign, holds every sum against a recount of all of them, and measures how
 * long the service takes to show the campaign's numbers by time and by link.
 */
import { join } from "node:path";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { ledgerPartitions, readAcceptedAt } from "../../src/delivery/delivery.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { fromPublicId, newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { countSlice } from "../../src/tracking/counting/counter.ts";
import {
  createClassifier,
  createEngagementWriter,
  withoutUntracked,
} from "../../src/tracking/counting/counting.ts";
import { insertHits } from "../../src/tracking/hits/hit-store.ts";
import type { Hit } from "../../src/tracking/hits/hits.ts";
import { createCountedLinks } from "../../src/tracking/links/links.ts";
import { trackingPartitions } from "../../src/tracking/tracking.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { spread } from "../harness/numbers.ts";
import { startProgram } from "../harness/program.ts";
import { generate } from "../subscribers/generate.ts";

const SECRET_KEY = "a secret key of the bench with 32 characters or more";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
const LINKS = 20;
const HITS_A_PERSON = 5;
const GROUP = 2_000;
const DAYS_MS = 3 * 24 * 3_600_000;
const READS = 50;
const ASKED_MS = 100;
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });

export async function* countMillion(setting: Setting): AsyncIterable<Result> {
  const { rows } = setting.sizes;
  const url = await setting.postgres.createDatabase("bench_million");
  const env = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: join(setting.folder, "million") };
  const { key, listId } = await generate(env, Math.ceil(rows / HITS_A_PERSON), setting.note);
  const options = { poolSize: 4, applicationName: "bench", log, statementTimeoutMs: 0 };
  const db = createDb({ connection: url, ...options });
  try {
    await maintainPartitions(db, systemClock, [...ledgerPartitions, ...trackingPartitions], log);
    const campaign = await addCampaign(db, fromPublicId("lst", listId) ?? "");
    yield await countAll(setting, db, campaign);
    yield await readNumbers(env, key, toPublicId("cmp", campaign.id), rows);
  } finally {
    await db.close();
  }
}

type Campaign = { readonly accountId: string; readonly id: string; readonly contacts: readonly string[] };

/** A campaign that went to the whole list an hour before the first hit. */
async function addCampaign(db: Db, listId: string): Promise<Campaign> {
  const { accountId } = await db.one<{ accountId: string }>(
    sql`select account_id as "accountId" from accounts`,
  );
  const [id, revisionId] = [newId(systemClock), newId(systemClock)];
  const links = Array.from({ length: LINKS }, (_, index) => ({
    index,
    url: `https://example.com/${index}`,
    isDynamic: false,
  }));
  const sentAt = new Date(Date.now() - DAYS_MS - 3_600_000);
  await db.execute(sql`
    insert into revisions (account_id, id, digest, content, created_at)
    values (${accountId}, ${revisionId}, ''::bytea, ${JSON.stringify({ compiled: { links } })}::jsonb, now())`);
  await db.execute(sql`
    insert into campaigns (account_id, id, name, list_id, subject, html, track_opens, track_clicks, on_ambiguous, checks, version,
                           status, has_sent, created_at, updated_at)
    values (${accountId}, ${id}, 'Million', ${listId}, 'News', '<p>News</p>', true, true, 'resend', '[]', 1, 'sent', true, now(),
            now())`);
  await db.execute(sql`
    insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, list_id, on_ambiguous, launched_at)
    values (${accountId}, ${id}, ${id}, 'campaign', ${id}, 'finished', ${revisionId}, ${listId}, 'resend', ${sentAt})`);
  await db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    select account_id, ${id}, contact_id, id, 'campaign', ${id}, 'sent', 1, ${sentAt} from subscribers
    where account_id = ${accountId} and list_id = ${listId}`);
  const rows = await db.many<{ id: string }>(sql`
    select contact_id as id from deliveries where account_id = ${accountId} and source_id = ${id} order by contact_id`);
  return { accountId, id, contacts: rows.map((row) => row.id) };
}

/** Every person opens and clicks a few times over three days; one in eight requests is a machine's. */
function hitOf({ accountId, id, contacts }: Campaign, n: number, rows: number, startMs: number): Hit {
  const isMachine = n % 8 === 0;
  return {
    accountId,
    sourceId: id,
    contactId: contacts[(n * 7_919) % contacts.length] as string,
    link: n % 3 === 0 ? n % LINKS : null,
    at: new Date(startMs + Math.floor((n / rows) * DAYS_MS)),
    times: 1,
    isHead: false,
    isPrefetch: false,
    hasFrom: false,
    userAgent: isMachine ? "curl/8.0" : BROWSER,
    address: "192.0.2.1",
  };
}

async function countAll({ sizes: { rows }, note }: Setting, db: Db, campaign: Campaign): Promise<Result> {
  const countedLinks = createCountedLinks();
  const counter = {
    db,
    clock: systemClock,
    log,
    classify: createClassifier(readAcceptedAt, countedLinks),
    withoutUntracked,
    countedLinks,
    writeEngagement: createEngagementWriter(systemClock),
    idsInEvents: campaignOwner.idsInEvents,
  };
  const startMs = Date.now() - DAYS_MS - 60_000;
  // All are stored before the first is counted, as when the counter was away: the whole backlog is in front of every slice.
  const beganMs = performance.now();
  for (let done = 0; done < rows; done += GROUP) {
    const length = Math.min(GROUP, rows - done);
    const hits = Array.from({ length }, (_, n) => hitOf(campaign, done + n, rows, startMs));
    await insertHits(db, { id: newId(systemClock), hits }, new Date());
  }
  const storedMs = performance.now() - beganMs;
  note(`${rows} stored`);
  const slices: number[] = [];
  for (let count = 1; count > 0; ) {
    const sliceMs = performance.now();
    count = await countSlice(counter);
    if (count > 0) slices.push(performance.now() - sliceMs);
    note(`a slice of ${count} counted`);
  }
  const countedMs = slices.reduce((sum, ms) => sum + ms, 0);
  const { parts, wrong, hits } = await compare(db, campaign);
  const perSecond = (ms: number) => Math.round((rows / ms) * 1_000).toLocaleString("en");
  return {
    figure: {
      name: `sums that equal a recount, of ${rows} opens and clicks`,
      ours: parts === 0 ? 0 : (parts - wrong) / parts,
      reference: null,
      ratio: null,
      asked: 1,
      ok: wrong === 0 && hits === rows,
    },
    unit: "share",
    headline: `${wrong} of ${parts} sums differ, ${hits} hits are in them; asked: none, and all`,
    details: [
      `stored ${perSecond(storedMs)} a second in groups of ${GROUP}, counted ${perSecond(countedMs)} a second`,
      `a slice of the backlog took ${spread(slices, (ms) => `${(ms / 1_000).toFixed(1)} s`)}`,
    ],
  };
}

/** Counts everything once more from what is kept of each hit, and says how many sums differ: of all mail, links, domains, quarters. */
function compare(
  db: Db,
  { accountId, id }: Campaign,
): Promise<{ parts: number; wrong: number; hits: number }> {
  return db.one(sql`
    with h as materialized (
      select contact_id, link, at, times, case when machine = '' then times else 0 end as human
      from counted_hits where account_id = ${accountId} and source_id = ${id}
    ), messages as materialized (
      select contact_id, sum(times) filter (where link < 0) as pixels, sum(human) filter (where link < 0) as human_pixels,
             coalesce(sum(times) filter (where link >= 0), 0) as clicks,
             coalesce(sum(human) filter (where link >= 0), 0) as human_clicks
      from h group by contact_id
    ), each as materialized (
      select d.domain, case when coalesce(pixels, 0) > 0 then pixels else least(clicks, 1) end as opens,
             case when coalesce(human_pixels, 0) > 0 then human_pixels else least(human_clicks, 1) end as human_opens,
             clicks, human_clicks
      from messages m join (
        select s.contact_id, split_part(s.email_key, '@', -1) as domain from subscribers s where s.account_id = ${accountId}
      ) as d on d.contact_id = m.contact_id
    ), recount as (
      select part, sum(opens) as opens, count(*) filter (where opens > 0) as openers, sum(human_opens) as human_opens,
             count(*) filter (where human_opens > 0) as human_openers, sum(clicks) as clicks,
             count(*) filter (where clicks > 0) as clickers, sum(human_clicks) as human_clicks,
             count(*) filter (where human_clicks > 0) as human_clickers
      from (select '' as part, each.* from each union all select 'domain ' || domain, each.* from each) as by_message
      group by part
      union all
      select 'link ' || link, 0, 0, 0, 0, sum(times), count(*), sum(human), count(*) filter (where human > 0)
      from (select contact_id, link, sum(times) as times, sum(human) as human from h where link >= 0 group by 1, 2) as by_link
      group by link
    ), kept as (
      select part, opens, openers, human_opens, human_openers, clicks, clickers, human_clicks, human_clickers
      from engagement_sums where account_id = ${accountId} and source_id = ${id} and not part ^@ 'quarter ' and not part ^@ 'url '
    ), quarters as (
      select date_bin('15 minutes', at, 'epoch') as at, coalesce(sum(times) filter (where link < 0), 0) as opens,
             coalesce(sum(times) filter (where link >= 0), 0) as clicks
      from h group by 1
    ), kept_quarters as (
      select substr(part, 9)::timestamptz as at, opens, clicks
      from engagement_sums where account_id = ${accountId} and source_id = ${id} and part ^@ 'quarter '
    )
    select (select count(*) from kept)::int + (select count(*) from kept_quarters)::int as parts,
           (select count(*) from (select * from recount except select * from kept) as x)::int
             + (select count(*) from (select * from kept except select * from recount) as x)::int
             + (select count(*) from (select * from quarters except select * from kept_quarters) as x)::int
             + (select count(*) from (select * from kept_quarters except select * from quarters) as x)::int as wrong,
           (select sum(times) from h)::int as hits`);
}

async function readNumbers(
  env: Record<string, string>,
  key: string,
  campaignId: string,
  rows: number,
): Promise<Result> {
  const service = startProgram({
    file: join(import.meta.dirname, "../../src/main.ts"),
    cwd: env["DATA_DIR"] ?? "",
    env: { ...env, PORT: "0", ROLES: "api", LOG_FORMAT: "json" },
  });
  try {
    const port = await service.hear((said) => {
      const found = /"address":"http:[^"]*:(\d+)".*"message":"ready"/.exec(String(said))?.[1];
      return found === undefined ? undefined : Number(found);
    });
    const times = new Map<string, number[]>();
    for (let turn = 0; turn <= READS; turn++) {
      for (const what of ["timeseries", "links", "domains"]) {
        const beganMs = performance.now();
        const reply = await fetch(`http://127.0.0.1:${port}/v1/campaigns/${campaignId}/stats/${what}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        await reply.text();
        if (reply.status !== 200) throw new Error(`${what} answered ${reply.status}`);
        const ms = performance.now() - beganMs;
        // The first is of a process that has just started.
        if (turn > 0) times.set(what, [...(times.get(what) ?? []), ms]);
      }
    }
    const ours = Math.max(percentile(times.get("timeseries"), 0.95), percentile(times.get("links"), 0.95));
    return {
      figure: {
        name: `timeseries and links of a campaign with ${rows} opens and clicks`,
        ours,
        reference: null,
        ratio: null,
        asked: ASKED_MS,
        ok: ours <= ASKED_MS,
      },
      unit: "ms",
      headline: `the slower of both takes ${ours.toFixed(1)} ms in 95 of 100 reads, asked ≤ ${ASKED_MS} ms`,
      details: [...times].map(([what, all]) => `${what} ${spread(all, (ms) => `${ms.toFixed(1)} ms`)}`),
    };
  } finally {
    await service.stop();
  }
}

function percentile(all: readonly number[] | undefined, share: number): number {
  const sorted = (all ?? []).toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.POSITIVE_INFINITY;
}
