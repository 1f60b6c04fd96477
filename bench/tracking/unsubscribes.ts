/** Measures how long an unsubscribe takes to hold while a campaign is sent at full speed to those who leave. */
import { setTimeout as sleep } from "node:timers/promises";
import { createLinkTokens } from "../../src/messages/messages.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { agreeOnSecrets } from "../../src/platform/instance.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { median, percentile99, rate } from "../harness/numbers.ts";
import { keepSinkApart } from "../mail/cores.ts";
import { startSink } from "../mail/sink.ts";
import { fillDatabase, makeCampaign, makeShare, sendPipelined, startService } from "../send/service.ts";
import { CONNECTIONS } from "../send/speed.ts";
import { withDb } from "./mail-links.ts";

const WARM_UP_PERCENT = 10;
const EVERY_MS = 20;
/** So many people are looked at to find one whose mail waits. */
const CANDIDATES = 20;
const MOST_P99_MS = 1_000;
/** A body may begin within 200 ms of its row's admission, and its outcome is recorded after the reply. */
const UNDER_WAY_MS = 1_000;

type Left = { readonly contactId: string; readonly tookMs: number; readonly answeredAt: Date };

export async function unsubscribeFigure(setting: Setting): Promise<Result> {
  const database = await fillDatabase(setting, "unsubscribes", Math.ceil(setting.sizes.rows / 20));
  const sink = await startSink(setting.folder);
  keepSinkApart(sink.pid);
  const relay = { port: sink.port, connections: CONNECTIONS };
  // Mail programs ask from many addresses, and POSTs are limited by address.
  const env = { ...database.env, TRUST_PROXY: "1" };
  const service = await startService({ ...database, env }, { roles: "api,public,jobs,sender", relay });
  try {
    const share = await makeShare(service, WARM_UP_PERCENT);
    await sendPipelined(service, await makeCampaign(service, database, share));
    return await withDb(database.env["DATABASE_URL"] as string, async (db) => {
      const { linkKey } = await agreeOnSecrets(db, createSecrets([database.env["SECRET_KEY"] as string]));
      const id = await makeCampaign(service, database);
      const contacts = await listContacts(db, (await newestSource(db)).accountId);
      let isSent = false;
      const startedMs = performance.now();
      await service.ask("POST", `/campaigns/${id}/send`);
      const source = await newestSource(db);
      const tokenOf = createLinkTokens(linkKey).makerFor(source.accountId, source.id);
      const sending = untilSent(service, id).finally(() => {
        isSent = true;
      });
      const leaving: Promise<Left>[] = [];
      while (!isSent) {
        const contactId = await pickWaiting(db, source, contacts.splice(0, CANDIDATES));
        if (contactId) leaving.push(leave(service.port, tokenOf(contactId), contactId));
        await sleep(EVERY_MS);
      }
      await sending;
      const seconds = (performance.now() - startedMs) / 1_000;
      return judge(await Promise.all(leaving), await readSent(db, source), database.recipients / seconds);
    });
  } finally {
    await service.program.stop();
    await sink.stop();
  }
}

function judge(left: readonly Left[], sent: ReadonlyMap<string, Date>, perSecond: number): Result {
  const times = left.map(({ tookMs }) => tookMs);
  const p99 = percentile99(times);
  const late = left.filter(({ contactId, answeredAt }) => {
    const at = sent.get(contactId);
    return at !== undefined && at.getTime() > answeredAt.getTime() + UNDER_WAY_MS;
  });
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return {
    figure: {
      name: "unsubscribe until it holds, p99 in ms beside a send at full speed",
      ours: p99,
      reference: null,
      ratio: null,
      asked: MOST_P99_MS,
      ok: p99 <= MOST_P99_MS && late.length === 0 && left.length > 0,
    },
    unit: "ms",
    headline: `ours ${ms(p99)}, asked ≤ ${ms(MOST_P99_MS)}`,
    details: [
      `median ${ms(median(times))} of ${left.length} people who were waiting for their mail; sending ${rate(perSecond)}`,
      `mailed later than a second after the answer: ${late.length}; before it: ${left.filter(({ contactId }) => sent.has(contactId)).length - late.length}`,
    ],
  };
}

/** The answer comes after the commit, and every row is judged by the statement that takes it for sending. */
async function leave(port: number, token: string, contactId: string): Promise<Left> {
  const startedMs = performance.now();
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const headers = { "x-forwarded-for": `2001:db8:${contactId.slice(-4)}::1` };
  const answer = await fetch(`http://127.0.0.1:${port}/u/${token}`, { method: "POST", body, headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`an unsubscribe was answered with ${answer.status}`);
  return { contactId, tookMs: performance.now() - startedMs, answeredAt: new Date() };
}

type Source = { readonly id: string; readonly accountId: string };

function newestSource(db: Db): Promise<Source> {
  return db.one<Source>(
    sql`select id, account_id as "accountId" from sources order by launched_at desc limit 1`,
  );
}

/** Lists everybody, in an order that has nothing to do with that of sending. */
async function listContacts(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.many<{ contact: string }>(sql`
    select contact_id as contact from subscribers where account_id = ${accountId} and status = 'active'
    order by md5(contact_id::text)`);
  return rows.map(({ contact }) => contact);
}

/** Picks one of these people whose mail still waits. */
async function pickWaiting(
  db: Db,
  { accountId, id }: Source,
  among: readonly string[],
): Promise<string | undefined> {
  const rows = await db.many<{ contact: string }>(sql`
    select d.contact_id as contact from deliveries d
    where d.account_id = ${accountId} and d.source_id = ${id} and d.contact_id = any(${among}::uuid[]) and d.state = 'ready'
    limit 1`);
  return rows[0]?.contact;
}

async function readSent(db: Db, { accountId, id }: Source): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.many<{ contact: string; at: Date }>(sql`
    select contact_id as contact, changed_at as at from deliveries
    where account_id = ${accountId} and source_id = ${id} and state = 'sent'`);
  return new Map(rows.map(({ contact, at }) => [contact, at]));
}

async function untilSent({ ask }: Awaited<ReturnType<typeof startService>>, id: string): Promise<void> {
  while ((await ask("GET", `/campaigns/${id}`)).status !== "sent") await sleep(100);
}
